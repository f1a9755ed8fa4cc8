import { defineConfig, devices } from '@playwright/test'

const executablePath = process.env.CHROMIUM_PATH

/** Stories that wait for what takes its time: they begin first, so that the others fill the wait. */
const waiting = /(?:truth|wall|wall-\w+)\.spec\.ts$/

/** The built product, see e2e/sightline.ts. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  fullyParallel: true,
  // A third one works while others wait, on two cores.
  workers: 3,
  forbidOnly: process.env.CI !== undefined,
  retries: 0,
  reporter: [['list']],
  timeout: 120_000,
  expect: { timeout: 30_000 },
  projects: [
    { name: 'waiting', testMatch: waiting },
    { name: 'working', testIgnore: waiting },
  ],
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
      ],
    },
  },
})
