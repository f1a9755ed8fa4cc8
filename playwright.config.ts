import { defineConfig, devices } from '@playwright/test'

const executablePath = process.env.CHROMIUM_PATH

/** Stories that wait for what takes its time, and leave the processor to the others meanwhile. */
const waiting = /(?:truth|wall|wall-\w+)\.spec\.ts$/

/** Begins before the shorter ones, so that no processor waits for it at the end. */
const longest = /widths\.spec\.ts$/

/** Stories of `npm run test:deep`. */
const deep = /\/e2e\/deep\/[^/]+\.spec\.ts$/

/** The built product, see e2e/sightline.ts. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  globalSetup: './e2e/sightline.ts',
  fullyParallel: true,
  // On two cores: the third one works while others wait for their pages, and two wait for most of their time.
  // Where none is left that waits, the others take their places.
  workers: 5,
  forbidOnly: process.env.CI !== undefined,
  retries: 0,
  reporter: [['list']],
  // Far more than any story takes here, for machines that are several times as slow.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  projects:
    process.env.DEEP === undefined
      ? [
          { name: 'waiting', testMatch: waiting, workers: 2 },
          { name: 'longest', testMatch: longest },
          { name: 'working', testIgnore: [waiting, longest, deep] },
        ]
      : [{ name: 'deep', testMatch: deep }],
  use: {
    ...devices['Desktop Chrome'],
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // No page lives long enough to gain from code that is optimized.
        '--js-flags=--no-opt --no-maglev',
      ],
    },
  },
})
