// SPDX-License-Identifier: GPL-2.0-or-later
//
// page.js - draws the charts into the page, with legends that are buttons; keyboard, dark mode and print. What it did stands
// in data attributes of the root element and of each figure, for tests and for `--png`.
"use strict";

const root = document.documentElement;
const figures = JSON.parse(document.getElementById("data").textContent);
const charts = new Map();
let errors = 0;

window.addEventListener("error", () => { root.dataset.errors = ++errors; });
root.dataset.errors = 0;

function frameOf(figure) {
	return document.getElementById(figure.id);
}

function heightOf(config, figure) {
	return config.rows ? Math.max(150, 90 + 22 * config.rows) : figure.kind === "histogram" ? 280 : 320;
}

function draw(figure) {
	const frame = frameOf(figure);
	const holder = frame.querySelector(".canvas");
	const config = kinds[figure.kind](figure);
	const old = charts.get(figure.id);
	if (old)
		old.destroy();
	holder.style.height = heightOf(config, figure) + "px";
	const chart = new Chart(holder.querySelector("canvas"), config);
	charts.set(figure.id, chart);
	if (figure.shown)
		legend(figure, chart, frame.querySelector(".legend"));
	// Everything that a chart has is in one of its datasets.
	frame.dataset.series = figure.series ? figure.series.length : 1;
	frame.dataset.names = JSON.stringify(chart.data.datasets.map((dataset) => dataset.label));
	frame.dataset.visible = chart.getVisibleDatasetCount();
	frame.dataset.drawn = "yes";
}

// The line as it is in the chart.
function swatch(look) {
	const canvas = document.createElement("canvas");
	const context = canvas.getContext("2d");
	canvas.width = 60;
	canvas.height = 24;
	canvas.setAttribute("aria-hidden", "true");
	context.scale(2, 2);
	context.strokeStyle = context.fillStyle = look.color;
	context.lineWidth = look.width;
	context.setLineDash(look.dash);
	context.beginPath();
	context.moveTo(0, 6);
	context.lineTo(30, 6);
	context.stroke();
	context.setLineDash([]);
	context.lineWidth = 1.5;
	Chart.helpers.drawPoint(context, { pointStyle: look.shape, radius: 4, rotation: 0 }, 15, 6);
	return canvas;
}

function legend(figure, chart, holder) {
	const focused = [...holder.children].indexOf(document.activeElement);
	holder.replaceChildren(...figure.series.map((series, index) => {
		const button = document.createElement("button");
		button.type = "button";
		const name = document.createElement("span");
		name.textContent = series.name;
		button.append(swatch(lookOf(series.name)), name);
		button.setAttribute("aria-pressed", figure.shown.has(series.name));
		button.addEventListener("click", () => {
			const show = !figure.shown.has(series.name);
			figure.shown[show ? "add" : "delete"](series.name);
			button.setAttribute("aria-pressed", show);
			chart.setDatasetVisibility(index, show);
			chart.update();
			frameOf(figure).dataset.visible = chart.getVisibleDatasetCount();
		});
		return button;
	}));
	if (focused >= 0 && holder.children[focused])
		holder.children[focused].focus();
}

// Left and right go through the places of a chart, up and down through its rows; what is there is shown and said.
function walk(figure, event) {
	const chart = charts.get(figure.id);
	const rows = chart.options.indexAxis === "y";
	const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: rows ? -1 : 0, ArrowDown: rows ? 1 : 0 }[event.key];
	if (event.key === "Escape")
		show(chart, [], null);
	if (!step)
		return;
	event.preventDefault();
	const elements = chart.getSortedVisibleDatasetMetas().flatMap((meta) =>
		meta.data.map((element, index) => ({ datasetIndex: meta.index, index, element })));
	const place = (one) => Math.round(rows ? one.element.y : one.element.x);
	const all = [...new Set(elements.filter((one) => !Number.isNaN(place(one))).map(place))].sort((a, b) => a - b);
	const last = all.length - 1;
	figure.at = figure.at === undefined ? (step > 0 ? 0 : last) : Math.min(Math.max(figure.at + step, 0), last);
	show(chart, elements.filter((one) => place(one) === all[figure.at]), all[figure.at]);
}

function show(chart, elements, place) {
	const active = elements.map(({ datasetIndex, index }) => ({ datasetIndex, index }));
	const middle = (chart.chartArea.top + chart.chartArea.bottom) / 2;
	const rows = chart.options.indexAxis === "y";
	chart.setActiveElements(active);
	chart.tooltip.setActiveElements(active, rows ? { x: chart.chartArea.left, y: place } : { x: place, y: middle });
	chart.update();
	const tip = chart.tooltip;
	document.getElementById("said").textContent = active.length ?
		[...(tip.title || []), ...(tip.body || []).flatMap((body) => body.lines)].join("; ") : "";
}

function defaults() {
	Chart.defaults.animation = false;
	Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
	Chart.defaults.font.size = 12;
	Chart.defaults.color = theme.soft;
	// Sharp on paper and when enlarged.
	Chart.defaults.devicePixelRatio = Math.max(2, window.devicePixelRatio);
}

function drawAll() {
	defaults();
	figures.forEach(draw);
}

// The names of those that are shown most come first.
function choose() {
	const count = new Map(), neighbours = new Map();
	for (const figure of figures) {
		if (!["lines", "share", "histogram"].includes(figure.kind))
			continue;
		figure.shown = chosen(figure);
		const names = figure.series.map((series) => series.name);
		for (const name of names) {
			count.set(name, (count.get(name) || 0) + (figure.shown.has(name) ? 1 : 0));
			neighbours.set(name, new Set([...(neighbours.get(name) || []), ...names]));
		}
	}
	giveLooks([...count.keys()].sort((a, b) => count.get(b) - count.get(a) || (a < b ? -1 : 1)), neighbours);
}

const darkness = window.matchMedia("(prefers-color-scheme: dark)");

function retheme() {
	theme = darkness.matches ? dark : light;
	root.dataset.theme = darkness.matches ? "dark" : "light";
}

// Paper is white and narrow, and does not unfold anything.
let folded = [];

function toPaper() {
	theme = light;
	root.classList.add("printed");
	folded = [...document.querySelectorAll("details:not([open])")];
	folded.forEach((details) => { details.open = true; });
	defaults();
	for (const figure of figures) {
		draw(figure);
		charts.get(figure.id).resize(660, Math.min(parseFloat(frameOf(figure).querySelector(".canvas").style.height), 900));
	}
	root.dataset.print = "yes";
}

function fromPaper() {
	root.classList.remove("printed");
	folded.forEach((details) => { details.open = false; });
	retheme();
	drawAll();
}

function measure() {
	root.dataset.height = Math.ceil(document.body.getBoundingClientRect().bottom + window.scrollY + 16);
	if (location.hash === "#pictures")
		root.dataset.pictures = [...document.querySelectorAll("figure")].map((frame) => {
			const title = frame.querySelector("h4, caption").textContent.toLowerCase();
			const name = title.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60);
			return `${frame.id}:${Math.ceil(frame.getBoundingClientRect().height) + 32}:${name}`;
		}).join(" ");
	if (location.hash !== "#check")
		return;
	root.dataset.wide = root.scrollWidth;
	root.dataset.window = root.clientWidth;
	// Is there anything but one colour?
	for (const figure of figures) {
		const canvas = charts.get(figure.id).canvas;
		const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
		frameOf(figure).dataset.ink = pixels.reduce((sum, pixel) => sum + (pixel !== pixels[0] ? 1 : 0), 0);
	}
}

function arrange() {
	const only = location.hash.match(/^#only=(f\d+)$/);
	const frame = only && document.getElementById(only[1]);
	if (frame) {
		root.classList.add("only");
		frame.classList.add("alone");
	}
	root.classList.toggle("pictures", location.hash === "#pictures");
}

arrange();
retheme();
choose();
drawAll();
for (const figure of figures)
	frameOf(figure).querySelector("canvas").addEventListener("keydown", (event) => walk(figure, event));
darkness.addEventListener("change", () => { retheme(); drawAll(); });
window.addEventListener("beforeprint", toPaper);
window.addEventListener("afterprint", fromPaper);
measure();
root.dataset.ready = "yes";
