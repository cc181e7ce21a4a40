/* SPDX-License-Identifier: MIT */
/*
 * attributes.c - attributes of kernel nodes: kept as they were given, to no effect.
 */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

/* By cuda.h's "valid for graph nodes". */
int sim_is_node_attribute(CUkernelNodeAttrID id)
{
	switch (id) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
	case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
	case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
	case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
		return 1;
	default:
		return 0;
	}
}

/* Few nodes have any but a priority. */
void sim_attribute_set(CUgraphNode node, CUkernelNodeAttrID id,
                       const CUkernelNodeAttrValue *value)
{
	if (!node->attributes)
		node->attributes =
		    sim_new(CU_LAUNCH_ATTRIBUTE_MAX, sizeof *node->attributes);
	node->attributes[id] = *value;
	if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
		node->priority = value->priority;
}

void sim_attributes_copy(CUgraphNode to, CUgraphNode from)
{
	size_t bytes = CU_LAUNCH_ATTRIBUTE_MAX * sizeof *from->attributes;

	free(to->attributes);
	to->attributes = NULL;
	to->priority = from->priority;
	if (!from->attributes)
		return;
	to->attributes = sim_new(1, bytes);
	memcpy(to->attributes, from->attributes, bytes);
}

static int is_kernel_node(CUgraphNode node)
{
	return node && node->type == CU_GRAPH_NODE_TYPE_KERNEL;
}

int sim_is_updatable(CUgraphNode node)
{
	return node->attributes &&
	       node->attributes[CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE]
	           .deviceUpdatableKernelNode.deviceUpdatable;
}

int sim_graph_updatable(CUgraph graph)
{
	size_t i;

	for (i = 0; i < graph->count; i++)
		if (sim_is_updatable(graph->nodes[i]))
			return 1;
	return 0;
}

SIM_EXPORT CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node,
                                                  CUkernelNodeAttrID attribute,
                                                  CUkernelNodeAttrValue *value)
{
	SIM_CALL(cuGraphKernelNodeGetAttribute);
	if (!value || !is_kernel_node(node) || !sim_is_node_attribute(attribute))
		return CUDA_ERROR_INVALID_VALUE;
	*value =
	    node->attributes ? node->attributes[attribute] : (CUkernelNodeAttrValue){0};
	if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
		*value = (CUkernelNodeAttrValue){.priority = node->priority};
	return CUDA_SUCCESS;
}

/* A node that a device may update stays so. */
SIM_EXPORT CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node,
                                                  CUkernelNodeAttrID attribute,
                                                  const CUkernelNodeAttrValue *value)
{
	SIM_CALL(cuGraphKernelNodeSetAttribute);
	if (!value || !is_kernel_node(node) || !sim_is_node_attribute(attribute))
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE &&
	    value->deviceUpdatableKernelNode.deviceUpdatable != 1)
		return CUDA_ERROR_INVALID_VALUE;
	sim_attribute_set(node, attribute, value);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
	SIM_CALL(cuGraphKernelNodeCopyAttributes);
	if (!is_kernel_node(to) || !is_kernel_node(from) || to->ctx != from->ctx ||
	    sim_is_updatable(to) || sim_is_updatable(from))
		return CUDA_ERROR_INVALID_VALUE;
	if (to != from)
		sim_attributes_copy(to, from);
	return CUDA_SUCCESS;
}
