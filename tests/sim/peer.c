/* SPDX-License-Identifier: MIT */
/*
 * peer.c - one context's access to what another has allocated, on another device.
 */
#include <stdlib.h>

#include "sim.h"

struct link {
	CUcontext from, to; /* `from` may access the memory of `to` */
	struct link *next;
};

static struct link *links;

static struct link **find(CUcontext from, CUcontext to)
{
	struct link **l;

	for (l = &links; *l && ((*l)->from != from || (*l)->to != to); l = &(*l)->next)
		;
	return l;
}

/* Access is a device's, so another context there may still have it. */
static unsigned int access_of(CUdevice device, CUcontext to)
{
	struct link *l;

	for (l = links; l; l = l->next)
		if (l->to == to && l->from->device == device)
			return SIM_WRITE;
	return 0;
}

void sim_peer_access(struct region *r)
{
	int i;

	if (r->kind != REGION_DEVICE || !r->ctx)
		return;
	for (i = 0; i < sim_devices(); i++)
		if (i != r->device)
			r->access[i] = access_of(i, r->ctx);
}

static void apply(CUcontext to)
{
	struct region *r;

	for (r = sim_regions(); r; r = r->next)
		if (r->ctx == to)
			sim_peer_access(r);
}

static void cut(struct link **l)
{
	struct link *gone = *l;

	*l = gone->next;
	apply(gone->to);
	free(gone);
}

void sim_peers_forget(CUcontext ctx)
{
	struct link **l = &links;

	while (*l)
		if ((*l)->from == ctx || (*l)->to == ctx)
			cut(l);
		else
			l = &(*l)->next;
}

static CUresult check(CUcontext peer)
{
	CUresult result = sim_ready();

	if (result != CUDA_SUCCESS)
		return result;
	return sim_context_lives(peer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

SIM_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	struct link *l;

	SIM_CALL(cuCtxEnablePeerAccess);
	sim_entered = check(peer);
	if (sim_entered == CUDA_SUCCESS)
		sim_entered = sim_unsafe();
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (peer == sim_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (peer->device == sim_current()->device)
		return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	if (*find(sim_current(), peer))
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	l = sim_new(1, sizeof *l);
	l->from = sim_current();
	l->to = peer;
	l->next = links;
	links = l;
	apply(peer);
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	struct link **l;

	SIM_CALL(cuCtxDisablePeerAccess);
	sim_entered = check(peer);
	if (sim_entered == CUDA_SUCCESS)
		sim_entered = sim_unsafe();
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	l = find(sim_current(), peer);
	if (!*l)
		return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	cut(l);
	return CUDA_SUCCESS;
}
