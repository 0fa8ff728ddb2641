/** Icons drawn on a grid of 24, in the colour of the text around them. */

const PATHS = {
  look: "M12 5v14M5 12h14M12 3l-2.5 2.5M12 3l2.5 2.5M12 21l-2.5-2.5M12 21l2.5-2.5M3 12l2.5-2.5M3 12l2.5 2.5M21 12l-2.5-2.5M21 12l-2.5 2.5",
  pour: "M6 4h9l3 4-6 4-8-2zM13 12v2M10 12.5V15M12 16v1M3 21c3-3 6-4.5 9-4.5s6 1.5 9 4.5z",
  dig: "M19 3l2 2M20 4l-7.5 7.5M9.5 10.5l4 4L10 18c-2 2-4.500 2.500-7 3 .5-2.500 1-5 3-7z",
  smooth: "M3 16c3-6 5-6 8-2s5 3 10-2M3 20h18M5 8h8M10 5l3 3-3 3",
  push: "M9 12a5 5 0 1 0-.01 0zM14 8h5M17 5.500 19.500 8 17 10.500M3 20c4-1 6-3 9-3s4 3 9 3",
  artist: "M3 20l6-11 4 6 2.500-4L21 20zM14 6l2-3 2 3M16 3v6",
  box: "M12 3l8 4.500v9L12 21l-8-4.500v-9zM4 7.500l8 4.500 8-4.500M12 12v9",
  ball: "M12 3a9 9 0 1 0 .01 0zM5 7c4 2 10 2 14 0M5 17c4-2 10-2 14 0M12 3v18",
  throw: "M17 5a3.500 3.500 0 1 0 .01 0zM3 20C4 14 7 10 11.500 9M3 15c.8-2.500 2-4.500 3.500-6M8 20c.4-2.500 1.500-5 3.500-7",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.500 11v5.500M13.500 11v5.500",
  bulldozer: "M7 14V8h4l2 3h3v3M4 19.500a2.500 2.500 0 0 1 0-5h10a2.500 2.500 0 0 1 0 5zM16 15h3M19.500 9c-1.200 2.500-1.200 7 .8 10",
  excavator: "M4 14v-4h3l1-3h3v7M4 19.500a2.500 2.500 0 0 1 0-5h8a2.500 2.500 0 0 1 0 5zM11 10l5-6 4 6M20 10l1 4c-2 2-4 1.500-4.500-.5z",
  play: "M7 4.500v15l12-7.500z",
  pause: "M7.500 5v14M16.500 5v14",
  step: "M5 5v14l9-7zM18 5v14",
  undo: "M9 6 4 11l5 5M4.500 11H14a5.500 5.500 0 0 1 0 11h-3",
  redo: "M15 6l5 5-5 5M19.500 11H10a5.500 5.500 0 0 0 0 11h3",
  reset: "M4 5v5h5M4.500 10a8 8 0 1 1-.5 4",
  scenes: "M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z",
  soil: "M4 7h9M17 7h3M15 5v4M4 12h3M11 12h9M9 10v4M4 17h9M17 17h3M15 15v4",
  rain: "M7 13a4 4 0 0 1 .5-8 5 5 0 0 1 9.500 1.500A3.300 3.300 0 0 1 17 13zM8 16l-1 3M12.500 16l-1 4M17 16l-1 3",
  grains: "M12 4a2 2 0 1 0 .01 0zM8.500 10a2.300 2.300 0 1 0 .01 0zM15.500 10a2.300 2.300 0 1 0 .01 0zM5.500 16a2.300 2.300 0 1 0 .01 0zM12 16a2.300 2.300 0 1 0 .01 0zM18.500 16a2.300 2.300 0 1 0 .01 0z",
  drop: "M12 3c4 5 6.500 8 6.500 11.500a6.500 6.500 0 0 1-13 0C5.500 11 8 8 12 3zM9 14.500a3 3 0 0 0 3 3",
  numbers: "M4 20V4M4 20h16M8 16v-4M12 16V7M16 16v-6",
  force: "M4 12h13M12.500 7l5 5-5 5M21 4v16",
  files: "M5 3h11l4 4v14H5zM8 3v6h7V3M8 21v-7h8v7",
  help: "M12 3a9 9 0 1 0 .01 0zM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.3-1 .8-1 1.700M12 17v.01",
  walk: "M13 4.500a1 1 0 1 0 .01 0zM9 21l2.500-6L9 12l1-4 3-.5 2 3 3 1M13.500 14.500 15 21M10 8l-2.500 2-.5 3",
  home: "M4 11l8-7 8 7M6.500 9.500V20h11V9.500M10 20v-6h4v6",
  menu: "M5 12v.01M12 12v.01M19 12v.01",
  close: "M6 6l12 12M18 6L6 18",
  download: "M12 4v11M7.500 11l4.500 4.500 4.500-4.500M5 20h14",
  camera: "M4 8h4l1.500-3h5L16 8h4v11H4zM12 10a3.500 3.500 0 1 0 .01 0z",
  follow: "M12 8a4 4 0 1 0 .01 0zM12 3v3M12 18v3M3 12h3M18 12h3",
  add: "M12 5v14M5 12h14",
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
