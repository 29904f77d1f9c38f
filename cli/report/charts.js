// SPDX-License-Identifier: GPL-2.0-or-later
//
// charts.js - one function for each kind of chart: from the figures in the page to what Chart.js draws.
"use strict";

const light = {
	hues: ["#0072b2", "#c8500a", "#008a63", "#a3307a", "#3d9fdc", "#a57a00", "#3b2a8c", "#5c8f14"],
	neutral: "#5b6168", ink: "#1b1f24", soft: "#57606a", grid: "#e3e7eb", paper: "#ffffff",
};
const dark = {
	hues: ["#62b2ea", "#ff9a52", "#43d1a4", "#ee8fc9", "#a5dcff", "#f0c552", "#b3a6ff", "#b2de5c"],
	neutral: "#b4bac1", ink: "#e6e9ec", soft: "#a2abb5", grid: "#2b323a", paper: "#1a1e23",
};
const dashes = [[], [7, 3], [2, 2], [9, 3, 2, 3], [13, 4]];
const shapes = ["rect", "triangle", "rectRot", "circle", "crossRot", "star"];

let theme = light;

function shortSize(bytes) {
	let unit = 0;
	while (unit < 6 && bytes >= 1024) {
		bytes /= 1024;
		unit++;
	}
	return (Number.isInteger(bytes) ? bytes : bytes.toFixed(1)) + ["", "K", "M", "G", "T", "P", "E"][unit];
}

function shortNumber(value) {
	if (value === null || !Number.isFinite(value))
		return "–";
	const size = Math.abs(value);
	if (size >= 1e7 || (size > 0 && size < 1e-3))
		return value.toExponential(1);
	if (size >= 100)
		return Math.round(value).toLocaleString("en");
	return value.toFixed(size >= 10 ? 1 : size >= 1 || !size ? 2 : 3);
}

// On an axis, where all figures are round.
function roundNumber(value) {
	return Math.abs(value) >= 1e5 ? shortNumber(value) : (+value.toPrecision(3)).toLocaleString("en");
}

function shortTime(ns) {
	for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]])
		if (ns >= size)
			return +(ns / size).toPrecision(3) + " " + unit;
	return +ns.toPrecision(3) + " ns";
}

function shortShare(share) {
	return share <= 0 ? "none" : share >= 1 ? "all" : "1/" + Math.round(1 / share);
}

// A routine looks the same in every chart: libc is neutral, the policies have hues of their own, the rest take turns.
const looks = new Map();

function lookOf(name) {
	const at = looks.get(name);
	const neutral = at.hue < 0;
	return { color: neutral ? theme.neutral : theme.hues[at.hue], dash: at.dash, shape: at.shape, width: neutral ? 3 : 1.75 };
}

// The first look of the row that none of its neighbours has. Names come in the order of their importance, so that in each
// chart the important ones have a hue to themselves; beyond five, hues come again with another dash and another point.
function giveLooks(names, neighbours) {
	const fixed = { libc: -1, default: -1, cold: 0, hot: 1, auto: 2, clp_clear: 2 };
	const taken = new Map();
	for (const name of names) {
		if (Object.hasOwn(fixed, name)) {
			looks.set(name, { hue: fixed[name], dash: [], shape: "circle" });
			continue;
		}
		const near = new Set([...neighbours.get(name)].map((other) => taken.get(other)));
		let row = 0;
		while (near.has(row))
			row++;
		taken.set(name, row);
		const turn = Math.floor(row / 5);
		const next = row + turn;
		looks.set(name, { hue: 3 + row % 5, dash: dashes[next % dashes.length], shape: shapes[next % shapes.length] });
	}
}

const lowerIsBetter = (unit) => unit === "ns" || unit.startsWith("cycles");

// At most eight are shown at first: libc, the policies, then whoever is nearest to the best, over all places.
function chosen(figure) {
	const most = 8, sign = lowerIsBetter(figure.unit || "") ? -1 : 1;
	const best = new Map();
	for (const series of figure.series)
		for (const [x, y] of series.points)
			if (!best.has(x) || sign * y > sign * best.get(x))
				best.set(x, y);
	const distance = ([x, y]) => Math.abs(Math.log(y / best.get(x)));
	const score = ({ points }) => points.reduce((sum, point) => sum + distance(point), 0) / points.length;
	const first = ["libc", "default", "auto", "hot", "cold", "clp_clear"];
	const rank = (series) => first.includes(series.name) ? -1 : score(series);
	const sorted = [...figure.series].sort((a, b) => rank(a) - rank(b));
	return new Set(sorted.slice(0, most).map((series) => series.name));
}

// The spread of each point: a thick bar from the first to the third quartile, a thin one from the least to the most.
const spread = {
	id: "spread",
	beforeDatasetsDraw(chart) {
		const context = chart.ctx;
		const across = chart.options.indexAxis === "y";
		const scale = across ? chart.scales.x : chart.scales.y;
		const { left, right, top, bottom } = chart.chartArea;
		const clamp = (value) => Math.min(Math.max(scale.getPixelForValue(value), across ? left : top), across ? right : bottom);
		context.save();
		chart.data.datasets.forEach((dataset, index) => {
			if (!dataset.spread || !chart.isDatasetVisible(index))
				return;
			chart.getDatasetMeta(index).data.forEach((element, i) => {
				const at = dataset.spread[i];
				const bar = (from, to, width, alpha) => {
					if (from === null || to === null || from === to)
						return;
					const a = clamp(from), b = clamp(to);
					context.globalAlpha = alpha;
					context.lineWidth = width;
					context.strokeStyle = dataset.spreadColor || dataset.borderColor;
					context.beginPath();
					context.moveTo(across ? a : element.x, across ? element.y : a);
					context.lineTo(across ? b : element.x, across ? element.y : b);
					context.stroke();
				};
				bar(at[2], at[3], 1.25, 0.55);
				bar(at[0], at[1], 5, 0.3);
			});
		});
		context.restore();
	},
};

// On bars the spread has to lie above them.
const spreadAbove = { id: "spreadAbove", afterDatasetsDraw: spread.beforeDatasetsDraw };

// A dashed line with a word: where hot clearing overtakes cold.
const marker = {
	id: "marker",
	afterDatasetsDraw(chart, unused, options) {
		if (options.at === undefined)
			return;
		const { ctx: context, chartArea: area, scales } = chart;
		const x = scales.x.getPixelForValue(options.at);
		context.save();
		context.strokeStyle = theme.ink;
		context.fillStyle = theme.ink;
		context.setLineDash([4, 4]);
		context.beginPath();
		context.moveTo(x, area.top);
		context.lineTo(x, area.bottom);
		context.stroke();
		context.font = "600 12px " + Chart.defaults.font.family;
		context.textAlign = x > (area.left + area.right) / 2 ? "right" : "left";
		context.fillText(options.text, x + (context.textAlign === "left" ? 6 : -6), area.top + 12);
		context.restore();
	},
};

function axis(text, more) {
	return Object.assign({
		title: { display: true, text, color: theme.soft },
		ticks: { color: theme.soft, maxRotation: 0 },
		grid: { color: theme.grid, borderColor: theme.soft, tickColor: theme.grid },
	}, more);
}

// On a logarithmic axis not every line has its figure: those that begin with one of these digits do.
const leading = (digits, format) => (value) => digits.includes(value.toExponential()[0]) ? format(value) : "";

function withTicks(scale, format, more) {
	const ticks = Object.assign({}, scale.ticks, { callback: (value) => format(value) }, more && more.ticks);
	return Object.assign(scale, more, { ticks });
}

function allPlaces(figure) {
	return [...new Set(figure.series.flatMap((series) => series.points.map((point) => point[0])))].sort((a, b) => a - b);
}

// The measured places, and no others, are marked; where they stand too close, some go without their name.
function places(scale, values, format) {
	scale.afterBuildTicks = (built) => { built.ticks = values.map((value) => ({ value })); };
	return withTicks(scale, format, { ticks: { autoSkip: true, autoSkipPadding: 8 } });
}

// Rows have names, all of them, and need no title.
function rowAxis(size, more) {
	const callback = function(value) {
		const name = this.getLabelForValue(value);
		return name.length > 44 ? name.slice(0, 43) + "…" : name;
	};
	const ticks = { color: theme.ink, autoSkip: false, font: { size }, callback };
	return axis("", { title: { display: false }, ticks, ...more });
}

// From zero, unless the figures lie so far apart that the small ones would not be seen.
function valueAxis(figure, text) {
	const all = figure.series.flatMap((series) => series.points.map((point) => point[1])).filter((value) => value > 0);
	const wide = all.length && Math.max(...all) / Math.min(...all) > 60;
	if (!wide)
		return withTicks(axis(text, { beginAtZero: true }), roundNumber);
	// Below a tenth of a nanosecond there is nothing but noise.
	const least = figure.unit === "ns" ? { min: 0.1 } : {};
	return withTicks(axis(text + " (logarithmic)", { type: "logarithmic", ...least }), leading("125", roundNumber));
}

function curve(series, place, figure) {
	const look = lookOf(series.name);
	return {
		label: series.name,
		data: series.points.map((point) => ({ x: place(point[0]), y: point[1] })),
		spread: series.points.map((point) => point.slice(2, 6)),
		hidden: !figure.shown.has(series.name),
		borderColor: look.color, backgroundColor: look.color, borderWidth: look.width, borderDash: look.dash,
		pointStyle: look.shape, pointRadius: 4, pointHoverRadius: 6, pointBorderWidth: 1.5,
		pointBorderColor: look.color,
	};
}

function tooltip(title, label) {
	return {
		itemSort: (a, b) => b.parsed.y - a.parsed.y,
		callbacks: { title: (items) => items.length ? title(items[0]) : "", label },
	};
}

const pointLabel = (figure) => (item) => {
	const at = item.dataset.spread[item.dataIndex];
	const range = at[2] !== null && at[2] !== at[3] ? ` (${shortNumber(at[2])}–${shortNumber(at[3])})` : "";
	return `${item.dataset.label}: ${shortNumber(item.parsed.y)} ${figure.unit}${range}`;
};

function base(type, scales, plugins, more) {
	return {
		type,
		options: Object.assign({
			maintainAspectRatio: false,
			interaction: { mode: "nearest", axis: "x", intersect: false },
			scales,
			plugins: Object.assign({ legend: { display: false } }, plugins),
		}, more),
	};
}

const kinds = {
	lines(figure) {
		const sizes = allPlaces(figure);
		const ends = { min: sizes[0] / 1.3, max: sizes[sizes.length - 1] * 1.3 };
		const scale = axis(figure.axis || "size", { type: "logarithmic", ...ends });
		return Object.assign(base("line", { x: places(scale, sizes, shortSize), y: valueAxis(figure, figure.unit) },
			{ tooltip: tooltip((item) => shortSize(item.parsed.x), pointLabel(figure)) }),
			{ data: { datasets: figure.series.map((series) => curve(series, (x) => x, figure)) }, plugins: [spread] });
	},

	// The axis spreads the small shares, and has room for none: log2(1 + share / least).
	share(figure) {
		const shares = allPlaces(figure);
		const least = shares.find((share) => share > 0) || 1;
		const place = (share) => Math.log2(1 + share / least);
		const back = new Map(shares.map((share) => [place(share), share]));
		const last = place(shares[shares.length - 1]);
		const scale = axis(figure.axis || "cache lines used after clearing", { type: "linear", min: -0.04 * last, max: 1.04 * last });
		const mark = figure.mark ? { at: place(figure.mark.x), text: figure.mark.text } : {};
		const x = places(scale, [...back.keys()], (at) => shortShare(back.get(at)));
		const title = (item) => shortShare(figure.series[item.datasetIndex].points[item.dataIndex][0]) + (figure.axis ? "" : " used");
		return Object.assign(base("line", { x, y: valueAxis(figure, figure.axis ? figure.unit : "GB/s, clear and use") },
			{ tooltip: tooltip(title, pointLabel(figure)), marker: mark }),
			{ data: { datasets: figure.series.map((series) => curve(series, place, figure)) }, plugins: [spread, marker] });
	},

	bars(figure) {
		const several = figure.series.length > 1;
		const order = figure.categories.map((unused, i) => i);
		const value = (i) => (figure.series[0].points.find((point) => point[0] === i) || [i, 0])[1];
		const sign = lowerIsBetter(figure.unit) ? 1 : -1;
		order.sort((a, b) => sign * (value(a) - value(b)));
		const colorOf = (name) => name === "libc" || name === "default" ? theme.neutral : theme.hues[0];
		const colors = order.map((i) => colorOf(figure.categories[i]));
		const datasets = figure.series.map((series, index) => {
			const none = [0, null, null, null, null, null];
			const points = order.map((i) => series.points.find((point) => point[0] === i) || none);
			const first = index === 0;
			return {
				label: series.name,
				data: points.map((point) => point[1]),
				spread: points.map((point) => point.slice(2, 6)),
				spreadColor: theme.ink,
				backgroundColor: colors.map((color) => first ? color : color + "59"),
				borderColor: colors, borderWidth: 1.5, borderSkipped: false,
				categoryPercentage: 0.8, barPercentage: several ? 0.9 : 0.8,
			};
		});
		const scale = valueAxis(figure, figure.unit);
		const generateLabels = (chart) => chart.data.datasets.map((dataset, i) => ({
			text: dataset.label, fontColor: theme.ink, datasetIndex: i,
			fillStyle: theme.hues[0] + (i ? "59" : ""), strokeStyle: theme.hues[0], lineWidth: 1.5,
		}));
		const label = (item) => {
			const at = item.dataset.spread[item.dataIndex];
			return `${item.dataset.label}: ${shortNumber(item.parsed.x)} (${shortNumber(at[2])}–${shortNumber(at[3])})`;
		};
		const rows = rowAxis(11);
		const legend = { display: several, labels: { color: theme.ink, boxWidth: 14, generateLabels } };
		return Object.assign(base("bar", { x: scale, y: rows }, { legend, tooltip: { callbacks: { label } } },
			{ indexAxis: "y", interaction: { mode: "index", axis: "y", intersect: false } }),
			{ data: { labels: order.map((i) => figure.categories[i]), datasets }, plugins: [spreadAbove],
				rows: order.length * (several ? 1.6 : 1) });
	},

	histogram(figure) {
		const datasets = figure.series.map((series) => {
			const look = lookOf(series.name), points = [];
			series.points.forEach((point, i) => {
				const next = series.points[i + 1];
				points.push({ x: Math.max(point[0], 1), y: point[1] || null, count: point[1] });
				// A bucket that nothing fell into ends the line.
				if (point[6] !== null && (!next || next[0] > point[6] * 1.001))
					points.push({ x: point[6], y: point[1] || null, count: 0 }, { x: point[6], y: null });
			});
			return {
				label: series.name, data: points, hidden: !figure.shown.has(series.name),
				stepped: "before", fill: "start", spanGaps: false,
				borderColor: look.color, backgroundColor: look.color + "22", borderWidth: 1.75, borderDash: look.dash,
				pointRadius: 0, pointHoverRadius: 3,
			};
		});
		const label = (item) => `${item.dataset.label}: ${(item.raw.count || 0).toLocaleString("en")} faults`;
		return Object.assign(base("line", {
			x: withTicks(axis("latency (logarithmic)", { type: "logarithmic" }), leading("1", shortTime)),
			y: withTicks(axis("faults (logarithmic)", { type: "logarithmic", min: 0.7 }),
				leading("1", (value) => value.toLocaleString("en"))),
		}, { tooltip: tooltip((item) => "from " + shortTime(item.parsed.x), label) }),
			{ data: { datasets } });
	},

	percentiles(figure) {
		const datasets = figure.series.map((series, i) => ({
			label: series.name,
			data: series.values.map((value, row) => ({ x: value > 0 ? value : null, y: figure.categories[row] })),
			showLine: false, pointRadius: 6, pointBorderWidth: 2,
			pointStyle: ["circle", "triangle", "rectRot"][i],
			borderColor: theme.hues[[0, 5, 1][i]], backgroundColor: theme.hues[[0, 5, 1][i]],
		}));
		return Object.assign(base("line", {
			x: withTicks(axis("latency of one fault (logarithmic)", { type: "logarithmic" }), leading("1", shortTime)),
			y: rowAxis(12, { type: "category", labels: figure.categories, offset: true }),
		}, { legend: { display: true, labels: { color: theme.ink, usePointStyle: true, boxWidth: 9, boxHeight: 9 } },
			tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${shortTime(item.parsed.x)}` } } },
			{ indexAxis: "y", interaction: { mode: "nearest", axis: "xy", intersect: false } }),
			{ data: { labels: figure.categories, datasets }, rows: figure.categories.length * 1.4 + 1 });
	},

	effects(figure) {
		const several = new Set(figure.rows.map((row) => row.label)).size > 1;
		const name = (row) => several ? `${row.row} · ${row.label}` : row.row;
		const color = { R: theme.hues[1], I: theme.hues[0], "~": theme.neutral, "?": theme.soft };
		const band = Math.max(...figure.rows.map((row) => row.threshold || 1));
		const colors = figure.rows.map((row) => color[row.verdict] || theme.soft);
		const means = {
			id: "means",
			beforeDatasetsDraw(chart) {
				const { ctx: context, chartArea: area, scales } = chart;
				const from = Math.max(scales.x.getPixelForValue(-band), area.left);
				const to = Math.min(scales.x.getPixelForValue(band), area.right);
				context.save();
				context.fillStyle = theme.neutral + "1c";
				context.fillRect(from, area.top, to - from, area.bottom - area.top);
				context.strokeStyle = theme.ink;
				context.lineWidth = 1.25;
				context.beginPath();
				context.moveTo(scales.x.getPixelForValue(0), area.top);
				context.lineTo(scales.x.getPixelForValue(0), area.bottom);
				context.stroke();
				context.restore();
			},
			afterDatasetsDraw(chart) {
				const context = chart.ctx;
				context.save();
				context.font = "600 11px " + Chart.defaults.font.family;
				context.textBaseline = "middle";
				chart.getDatasetMeta(0).data.forEach((element, i) => {
					const row = figure.rows[i], x = chart.scales.x.getPixelForValue(row.change);
					if (row.change === null)
						return;
					context.fillStyle = theme.ink;
					context.beginPath();
					context.arc(x, element.y, 3.5, 0, 2 * Math.PI);
					context.fill();
					const end = chart.scales.x.getPixelForValue(row.high === null ? row.change : row.high);
					context.fillText({ R: "(R)", I: "(I)" }[row.verdict] || row.verdict, end + 7, element.y);
				});
				context.restore();
			},
		};
		const ends = figure.rows.flatMap((row) => [row.low, row.high, row.change]).filter((value) => value !== null);
		const low = Math.min(...ends, -1.2 * band), high = Math.max(...ends, 1.2 * band);
		const label = (item) => {
			const row = figure.rows[item.dataIndex];
			return `${row.label}: ${shortNumber(row.change)}% (${shortNumber(row.low)} to ${shortNumber(row.high)}), ${row.verdict}`;
		};
		return Object.assign(base("bar", {
			x: withTicks(axis(`change against the base, %; the grey band is ±${band}%`,
				{ min: low - 0.04 * (high - low), max: high + 0.1 * (high - low) }),
				(value) => (value > 0 ? "+" : "") + +value.toFixed(2) + "%", { ticks: { includeBounds: false } }),
			y: rowAxis(12),
		}, { tooltip: { callbacks: { label } } },
		{ indexAxis: "y", interaction: { mode: "index", axis: "y", intersect: false } }),
			{ data: { labels: figure.rows.map(name), datasets: [{
				label: "95% interval",
				data: figure.rows.map((row) => row.low === null || row.high === null ? null : [row.low, row.high]),
				backgroundColor: figure.rows.map((row, i) => row.verdict === "?" ? "transparent" : colors[i] + "aa"),
				borderColor: colors, borderWidth: 1.5, borderSkipped: false, barPercentage: 0.55,
			}] }, plugins: [means], rows: figure.rows.length });
	},
};
