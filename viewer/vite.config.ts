import { defineConfig } from "vite";

// A running `barchan play --port 4242`, for `npm run dev`. It talks to its own page only, so we say that we are that page.
const host = "127.0.0.1:4242";
const toServer = { target: `http://${host}`, headers: { host, origin: `http://${host}` }, ws: true };

// The bundle is committed, so that cargo alone builds the program: names without hashes keep its history readable.
export default defineConfig({
  base: "./",
  publicDir: false,
  build: {
    outDir: "../crates/barchan-server/page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: false,
    // What the licence of three.js asks for.
    license: { fileName: "licenses.md" },
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
  server: {
    proxy: { "/socket": toServer, "/api": toServer, "/scenes": toServer, "/download": toServer },
  },
});
