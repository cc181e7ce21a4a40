/* SPDX-License-Identifier: MIT */
/*
 * sim_graph.h - what the simulated driver's files on graphs have in common; the end of
 * sim.h.
 */
#ifndef SIM_GRAPH_H
#define SIM_GRAPH_H

/* deps.c */
void sim_deps_add(struct deps *deps, CUgraphNode node, CUgraphEdgeData edge);
void sim_deps_join(struct deps *into, const struct deps *from);
void sim_deps_remove(struct deps *deps, CUgraphNode node);
void sim_deps_clear(struct deps *deps);
/* Marks every node that the given ones depend on, themselves included, with `mark`. */
void sim_mark_ancestors(const struct deps *deps, size_t mark);
size_t sim_next_mark(void);
/* What cuda.h says of ports and types: of an edge that leaves `from`, and to which. */
int sim_edge_from(CUgraphNode from, const CUgraphEdgeData *edge);
int sim_edge_valid(CUgraphNode from, CUgraphNodeType to, const CUgraphEdgeData *edge);

#define SIM_FULL_EDGE ((CUgraphEdgeData){0})

/* graph.c */
CUgraph sim_graph_new(void);
int sim_graphs(void); /* how many there are */
/* For a program's own call: INVALID_VALUE for dependencies that are not of the graph.
 */
CUresult sim_graph_add_for(CUgraphNode *out, CUgraph graph, const CUgraphNode *nodes,
                           size_t count, CUgraphNodeType type);
CUresult sim_graph_add_with(CUgraphNode *out, CUgraph graph, const CUgraphNode *nodes,
                            const CUgraphEdgeData *edges, size_t count,
                            CUgraphNodeType type);
int sim_graph_has(CUgraph graph, CUgraphNodeType type); /* at any level */
int sim_graph_has_memory(CUgraph graph);
int sim_graph_may_copy(CUgraph graph); /* into a clone or a child node */
void sim_node_own(CUgraphNode node, CUgraph child);
/* The graphs in a node, a child or bodies, from 0; NULL after the last. */
CUgraph sim_node_graph(CUgraphNode node, size_t i);
CUgraphNode sim_graph_add(CUgraph graph, CUgraphNodeType type, const struct deps *deps);
void sim_graph_free(CUgraph graph);
CUgraph sim_graph_copy(CUgraph graph);

/* order of nodes, dependencies first: run.c */
CUresult sim_order(CUgraph graph, size_t **order); /* INVALID_VALUE: it has a cycle */

/* run.c */
void sim_host_run(const CUDA_HOST_NODE_PARAMS *host); /* without the lock */
CUresult sim_node_check(CUgraphNode node);            /* what instantiation refuses */
CUresult sim_node_run(CUgraphNode node, CUcontext ctx);
CUresult sim_child_run(CUgraph child, CUcontext ctx);
CUresult sim_graph_run(CUgraph graph, const size_t *order, CUcontext ctx);

/* graph_kernels.c; *ctx is the node's so far, or NULL */
CUresult sim_kernel_set(struct launch *l, CUcontext *ctx,
                        const CUDA_KERNEL_NODE_PARAMS *p);

/* graph_nodes.c */
CUresult sim_memset_params(const CUDA_MEMSET_NODE_PARAMS *set);
CUresult sim_memcpy_params(const CUDA_MEMCPY3D *copy);

/* node_params.c: a node that is in no graph, for its parameters */
CUresult sim_node_fill(CUgraphNode node, CUgraphNodeParams *params);
void sim_node_take(CUgraphNode node, CUgraphNode from); /* `from` is empty afterwards */
void sim_node_drop(CUgraphNode node);

/* node_memory.c */
CUresult sim_alloc_params(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *p);
int sim_freeable(CUgraph graph, CUdeviceptr at);

/* node_exec.c: what an instantiated graph holds for a node of the graph it came from */
CUgraphNode sim_exec_node(CUgraphExec exec, CUgraphNode node);
/* Where an update allows it, *made becomes what is held; gone afterwards in any case.
 */
CUresult sim_exec_change(CUgraphNode held, CUgraphNode made);

/* update.c */
CUgraphExecUpdateResult sim_update_node(CUgraphNode old, CUgraphNode new);
CUresult sim_update_child(CUgraphNode held, CUgraph from);

/* user_object.c */
void sim_kept_copy(CUgraph to, CUgraph from);
void sim_kept_release(CUgraph graph);

/* conditional.c */
int sim_condition_set(CUgraphConditionalHandle handle, unsigned int value);
int sim_condition_unused(CUgraph graph); /* a handle of it has no node */
void sim_conditions_forget(CUgraph graph);
void sim_conditions_assign(CUgraph graph);
CUresult sim_conditional_params(CUgraph graph, const CUDA_CONDITIONAL_NODE_PARAMS *p);
void sim_conditional_make(CUgraphNode node, CUDA_CONDITIONAL_NODE_PARAMS *p);
void sim_conditional_copy(CUgraphNode node, CUgraphNode from);
void sim_conditional_free(CUgraphNode node);
CUresult sim_conditional_check(CUgraphNode node);
CUresult sim_conditional_run(CUgraphNode node, CUcontext ctx);

#endif
