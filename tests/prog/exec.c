/* SPDX-License-Identifier: MIT */
/*
 * exec [inside|spawn|vfork] [COMMAND...]: captures a memset and says what it became,
 * then becomes the command: in a capture of its own (inside), or has a child become it
 * and waits for that.
 */
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drv.h"
#include "outside.h"

static int wait_for(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	return !WIFEXITED(status) ? 1 : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	char **command = argv + 1;
	pid_t child;

	outside_start();
	outside_capture("capture");
	if (argc < 2)
		return 0;
	if (!strcmp(how, "inside") || !strcmp(how, "spawn") || !strcmp(how, "vfork"))
		command++;
	if (!strcmp(how, "spawn"))
		return posix_spawnp(&child, *command, NULL, NULL, command, environ)
		           ? 1
		           : wait_for(child);
	if (!strcmp(how, "inside")) {
		must(cuStreamBeginCapture(outside_stream(),
		                          CU_STREAM_CAPTURE_MODE_GLOBAL));
		must(cuMemsetD8Async(outside_memory(), 1, OUTSIDE_BYTES,
		                     outside_stream()));
	}
	if (!strcmp(how, "vfork")) {
		child = vfork();
		if (child)
			return wait_for(child);
	}
	execvp(*command, command);
	_exit(127);
}
