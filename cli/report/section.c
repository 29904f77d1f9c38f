/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section.c - the sections that are rows of charts: their names, and what is said at their head.
 */
#include "report.h"

void section_begin(struct page *p, const char *name, const char *lead)
{
	p->ids++;
	fprintf(p->html, "<section aria-labelledby=\"s%u\">\n<h3 id=\"s%u\">", p->ids, p->ids);
	html_text(p->html, name);
	fputs("</h3>\n", p->html);
	if (lead)
		element(p->html, "p class=\"lead\"", lead);
	fprintf(p->nav, "<li><a href=\"#s%u\">", p->ids);
	html_text(p->nav, name);
	fputs("</a></li>\n", p->nav);
}

void section_end(struct page *p)
{
	fputs("</section>\n", p->html);
}

void write_charts(struct page *p, size_t machine, enum section section)
{
	static const char *const names[SECTIONS][2] = {
		[SECTION_CLEAR] = { "Clearing",
				    "Payload GB/s (10⁹ bytes cleared a second) against the size of the region." },
		[SECTION_COPY] = { "Copying", "Payload GB/s (10⁹ bytes written a second) against the size of the region." },
		[SECTION_USE] = { "Clear, then use",
				  "The time of clearing and of the use after it counts: GB/s of bytes cleared, over both. "
				  "What streams past the cache clears fast and is slow to use; the dashed line marks the "
				  "share of "
				  "lines from which on hot clearing is the faster of the two." },
		[SECTION_AROUND] = { "Clear much, use a few pages of it",
				     "Microseconds until those pages have been read; less is better." },
		[SECTION_PARALLEL] = { "With several threads",
				       "Payload GB/s (10⁹ bytes a second) against the size of the region, also of one thread." },
		[SECTION_RECYCLE] = { "Used memory made zero again",
				      "Milliseconds a round (means), of use and recycling together, with the faults that recycling leaves to the use; less is better." },
		[SECTION_SMALL] = { "Short clears", "Nanoseconds a call; less is better." },
		[SECTION_TUNE] = { "Measured for the profile", "Medians by which clearpages tune chose the routines." },
		[SECTION_MEM] = { "perf bench mem workloads",
				  "The same work as perf bench mem, in payload GB/s of 10⁹ bytes." },
		[SECTION_PEERS] = { "Other tools", "Installed tools of others and clearpages, interleaved in one run." },
		[SECTION_FAULTS] = { "", "" },
	};
	bool begun = false;

	for (size_t i = 0; i < p->report->n_charts; i++) {
		const struct chart *c = &p->report->charts[i];

		if (c->machine != machine || c->section != section || !c->n)
			continue;
		if (!begun && section != SECTION_FAULTS) {
			section_begin(p, names[section][0], names[section][1]);
			if (section == SECTION_USE)
				write_crossovers(p, machine);
		}
		if (!begun)
			fputs("<div class=\"grid\">\n", p->html);
		begun = true;
		figure_of_chart(p, c);
	}
	if (begun)
		fputs("</div>\n", p->html);
	if (begun && section != SECTION_FAULTS)
		section_end(p);
}
