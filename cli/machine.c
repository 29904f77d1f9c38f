/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.c - what a result has to say about where it was measured.
 */
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../lib/cpu.h"
#include "clearpages.h"
#include "cli.h"

const char *read_line(const char *path, char *buffer, size_t size)
{
	FILE *f = fopen(path, "re");

	buffer[0] = '\0';
	if (f) {
		if (!fgets(buffer, (int)size, f))
			buffer[0] = '\0';
		fclose(f);
	}
	buffer[strcspn(buffer, "\n")] = '\0';
	return buffer;
}

int64_t read_number(const char *path, int64_t otherwise)
{
	char line[64], *end;
	long long n;

	read_line(path, line, sizeof(line));
	n = strtoll(line, &end, 10);
	return end == line ? otherwise : n;
}

uint64_t memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return (uint64_t)kib << 10;
}

void record_machine(struct record *r, int argc, char **argv, uint64_t seed)
{
	const char *profile;
	struct utsname os;
	struct clp_cpu cpu;
	char text[1024] = "";
	time_t now = time(NULL);
	struct tm utc;
	size_t len = 0;

	clp_cpu_describe(&cpu);
	uname(&os);
	record_whole(r, "schema", RESULTS_SCHEMA);
	record_text(r, "version", clp_version());
	for (int i = 0; i < argc && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "", argv[i]);
	record_text(r, "arguments", text);
	record_whole(r, "seed", (int64_t)seed);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	record_text(r, "time", text);
	record_text(r, "host", os.nodename);
	record_text(r, "cpu", cpu.model_name);
	record_text(r, "vendor", cpu.vendor);
	record_whole(r, "family", cpu.family);
	record_whole(r, "model", cpu.model);
	record_whole(r, "stepping", cpu.stepping);
	record_text(r, "hypervisor", cpu.hypervisor);
	record_whole(r, "cpus_online", sysconf(_SC_NPROCESSORS_ONLN));
	record_whole(r, "l2_claimed", (int64_t)cpu.l2);
	record_whole(r, "l3_claimed", (int64_t)cpu.l3);
	record_text(r, "machine", os.machine);
	record_text(r, "kernel", os.release);
	record_text(r, "libc", gnu_get_libc_version());
	record_text(r, "thp", read_line("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text)));
	record_text(r, "profile", clp_profile_status(&profile) == CLP_PROFILE_USED ? profile : "");
	record_text(r, "cycles", "TSC reference cycles");
}
