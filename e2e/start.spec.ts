import { spawnSync } from 'node:child_process'
import { expect, test } from './sightline.ts'

test('mistakes in the configuration stop the start, all in one message', () => {
  const { status, stderr } = spawnSync(process.execPath, ['dist/server/main.js', '--colour=red'], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      SIGHTLINE_PORT: 'web',
      SIGHTLINE_HOST: '0.0.0.0',
      SIGHTLINE_BUILD_DATA_URL: 'https://user:canary@builds.example.com',
    },
  })
  expect(status).toBe(2)
  expect(stderr).toContain('SIGHTLINE_PORT is "web" but must be a whole number from 0 to 65535.')
  expect(stderr).toContain("--colour isn't a setting.")
  expect(stderr).toContain(
    'SIGHTLINE_BUILD_DATA_URL must be a URL without a user name and password',
  )
  expect(stderr).not.toContain('canary')
})

test('a port in use is said in one sentence', ({ url }) => {
  const { status, stderr } = spawnSync(process.execPath, ['dist/server/main.js'], {
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      SIGHTLINE_PORT: new URL(url).port,
      SIGHTLINE_DATABASE_URL: 'memory:',
      SIGHTLINE_EMBEDDED_BUILDS: '0',
    },
  })
  expect(status).toBe(1)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toContain('SIGHTLINE_PORT')
})

test('it prints one address, keeps to one origin, and ends cleanly on SIGTERM', async ({
  sightline,
  request,
}) => {
  const product = await sightline()
  expect(product.output().trim()).toBe(`Sightline is running at ${product.url}`)
  const page = await request.get(product.url)
  const policy = page.headers()['content-security-policy'] ?? ''
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe-inline')
  expect(policy).not.toContain('unsafe-eval')
  expect((await request.get(`${product.url}/healthz`)).status()).toBe(200)
  for (const path of [
    '/config',
    '/readyz',
    '/metrics',
    '/live/builds',
    '/upstream/build-data/api/builds',
  ]) {
    expect((await request.get(product.url + path)).status(), path).toBe(401)
  }
  expect(await product.stop()).toBe(0)
})
