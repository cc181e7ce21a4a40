/* SPDX-License-Identifier: MIT */
/*
 * node_events.c - nodes that record an event or wait for one.
 */
#include "sim.h"

static CUresult add_event(CUgraphNode *out, CUgraph graph, const CUgraphNode *nodes,
                          size_t count, CUevent event, CUgraphNodeType type)
{
	CUresult result = sim_event_check(event);

	if (result == CUDA_SUCCESS)
		result = sim_graph_add_for(out, graph, nodes, count, type);
	if (result == CUDA_SUCCESS)
		(*out)->event = event;
	return result;
}

SIM_EXPORT CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph,
                                              const CUgraphNode *nodes, size_t count,
                                              CUevent event)
{
	SIM_CALL(cuGraphAddEventRecordNode);
	return add_event(out, graph, nodes, count, event,
	                 CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

SIM_EXPORT CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph,
                                            const CUgraphNode *nodes, size_t count,
                                            CUevent event)
{
	SIM_CALL(cuGraphAddEventWaitNode);
	return add_event(out, graph, nodes, count, event,
	                 CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}

static CUresult get(CUgraphNode node, CUgraphNodeType type, CUevent *event)
{
	if (!node || node->type != type || !event)
		return CUDA_ERROR_INVALID_VALUE;
	*event = node->event;
	return CUDA_SUCCESS;
}

static CUresult set(CUgraphNode node, CUgraphNodeType type, CUevent event)
{
	CUresult result = sim_event_check(event);

	if (!node || node->type != type)
		return CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		node->event = event;
	return result;
}

#define EVENT_NODE(kind, type)                                                 \
	SIM_EXPORT CUresult cuGraphEvent##kind##NodeGetEvent(CUgraphNode node, \
	                                                     CUevent *event)   \
	{                                                                      \
		SIM_CALL(cuGraphEvent##kind##NodeGetEvent);                    \
		return get(node, type, event);                                 \
	}                                                                      \
	SIM_EXPORT CUresult cuGraphEvent##kind##NodeSetEvent(CUgraphNode node, \
	                                                     CUevent event)    \
	{                                                                      \
		SIM_CALL(cuGraphEvent##kind##NodeSetEvent);                    \
		return set(node, type, event);                                 \
	}                                                                      \
	SIM_EXPORT CUresult cuGraphExecEvent##kind##NodeSetEvent(              \
	    CUgraphExec exec, CUgraphNode node, CUevent event)                 \
	{                                                                      \
		SIM_CALL(cuGraphExecEvent##kind##NodeSetEvent);                \
		return set(sim_exec_node(exec, node), type, event);            \
	}
EVENT_NODE(Record, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
EVENT_NODE(Wait, CU_GRAPH_NODE_TYPE_WAIT_EVENT)
