/* SPDX-License-Identifier: MIT */
/* The program of route-early.c's library. */
int early_result(void);

int main(void)
{
	return early_result();
}
