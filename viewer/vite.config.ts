import { defineConfig } from "vite";

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
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
  server: {
    proxy: {
      "/socket": { target: "ws://127.0.0.1:4242", ws: true },
      "/api": "http://127.0.0.1:4242",
      "/scenes": "http://127.0.0.1:4242",
      "/download": "http://127.0.0.1:4242",
    },
  },
});
