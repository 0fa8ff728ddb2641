import { defineConfig } from "vitest/config";

// One browser and one server at a time: the steps of the play build on each other.
export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    bail: 1,
  },
});
