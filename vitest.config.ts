import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    environment: 'node',
    // A hung socket must not hang the run; nothing asserts on elapsed time.
    testTimeout: 20_000,
    // By itself `expect.poll` would give up after a second, which a busy machine needs for less.
    expect: { poll: { timeout: 15_000 } },
  },
})
