import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    environment: 'node',
    // A hung socket must not hang the run; nothing asserts on elapsed time.
    testTimeout: 20_000,
  },
})
