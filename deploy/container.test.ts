import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DCLinter } from 'dclint'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { Settings } from '../src/server/config-settings.ts'
import { longestEnd, startMistakes, textOf } from './settings.test-support.ts'

const root = join(import.meta.dirname, '..')

describe('the Dockerfile', () => {
  const source = textOf('Dockerfile')
  const dockerfile = DockerfileParser.parse(source)
  const instructions = dockerfile.getInstructions()
  const stages = instructions
    .map((each, at) => ({ each, at }))
    .filter(({ each }) => each.getKeyword() === 'FROM')
  const last = instructions.slice(stages.at(-1)?.at)
  const lastArguments = (keyword: string): string[] =>
    last
      .filter((each) => each.getKeyword() === keyword)
      .map((each) => each.getArgumentsContent() ?? '')
  const environment = Object.fromEntries(
    dockerfile
      .getENVs()
      .flatMap((env) => env.getProperties().map((each) => [each.getName(), each.getValue() ?? ''])),
  )

  test('passes the linter', () => {
    expect(validate(source)).toEqual([])
  })

  test('ends in a stage that is run by nobody in particular, without tools that build', () => {
    expect(lastArguments('USER')).toEqual(['10001:0'])
    expect(lastArguments('STOPSIGNAL')).toEqual(['SIGTERM'])
    expect(lastArguments('VOLUME')).toEqual(['["/data"]'])
    expect(lastArguments('WORKDIR').at(-1)).toBe('/data')
    expect(lastArguments('RUN').join()).toMatch(/^rm -rf .*\/usr\/local\/bin\/npm /s)
    expect(lastArguments('RUN').join()).not.toMatch(/\bnpm (?:ci|install)|apt-get|curl|wget/)
    expect(lastArguments('RUN').join()).toContain('chown 10001:0 /data && chmod 0770 /data')
    expect(lastArguments('COPY').join('\n')).not.toMatch(/\.ts\b|^\. /m)
  })

  test('installs exactly what the lock file says, and the last stage only what runs', () => {
    const installs = instructions.flatMap((each) =>
      each.getKeyword() === 'RUN' ? (each.getArgumentsContent()?.match(/^npm .*/g) ?? []) : [],
    )
    expect(installs).toEqual(['npm ci', 'npm ci --omit=dev'])
    expect(lastArguments('COPY').filter((each) => each.includes('node_modules'))).toEqual([
      '/app/node_modules node_modules/',
    ])
  })

  test('sets settings that exist, and needs only to be told how people sign in', () => {
    expect(startMistakes(environment)).toEqual([expect.stringContaining('SIGHTLINE_SIGN_IN')])
    const told = { SIGHTLINE_SIGN_IN: 'tokens', SIGHTLINE_SESSION_SECRET: 's'.repeat(32) }
    const file = { SIGHTLINE_CONFIG: '/etc/sightline/sightline.yaml' }
    expect(startMistakes({ ...environment, ...told, ...file })).toEqual([])
  })

  test('exposes the ports of its settings, and its health check asks the one for that', () => {
    const { SIGHTLINE_PORT, SIGHTLINE_OPS_PORT } = environment
    expect(lastArguments('EXPOSE')).toEqual([`${SIGHTLINE_PORT} ${SIGHTLINE_OPS_PORT}`])
    const [check = ''] = lastArguments('HEALTHCHECK')
    expect(check).toContain('CMD ["node", "-e", ')
    expect(check).toContain('http://127.0.0.1:${process.env.SIGHTLINE_OPS_PORT}/healthz')
  })

  test('copies what the build context has, which holds nothing else', () => {
    const rules = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(rules[0]).toBe('*')
    const kept = rules.slice(1).map((rule) => rule.replace(/^!/, ''))
    expect(rules.slice(1)).toEqual(kept.map((name) => `!${name}`))
    for (const name of kept) expect(existsSync(join(root, name)), name).toBe(true)
    const copied = dockerfile
      .getCOPYs()
      .filter((each) => each.getFlags().length === 0)
      .flatMap((each) => each.getArguments().slice(0, -1))
      .map((each) => each.getValue())
      .filter((path) => path !== '.')
    for (const path of copied) expect(kept).toContain(path.split('/')[0])
  })
})

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: z.record(z.string(), z.string()).default({}),
      volumes: z.array(z.string()).default([]),
      secrets: z.array(z.string()).default([]),
      read_only: z.boolean().default(false),
      stop_grace_period: z.string().optional(),
      healthcheck: z.unknown().optional(),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
    }),
  ),
  networks: z.record(
    z.string(),
    z.object({ ipam: z.object({ config: z.array(z.object({ subnet: z.string() })) }).optional() }),
  ),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
})

describe('compose.yaml', () => {
  const compose = Compose.parse(parse(textOf('compose.yaml'), { merge: true }))
  const sightlines = Object.entries(compose.services).filter(([name]) =>
    name.startsWith('sightline-'),
  )

  test('passes the linter, which knows the schema of compose files', () => {
    const rules = { 'service-keys-order': 0, 'top-level-properties-order': 0 } as const
    const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] })
    const results = linter.lintFiles([join(root, 'compose.yaml')], false)
    expect(results.map(({ messages }) => messages)).toEqual([[]])
  })

  test('runs two Sightlines that start with their settings and have only a volume to write to', () => {
    expect(sightlines).toHaveLength(2)
    for (const [, service] of sightlines) {
      const image = { SIGHTLINE_HOST: '0.0.0.0', SIGHTLINE_OPS_PORT: '9090' }
      expect(startMistakes({ ...image, ...service.environment })).toEqual([])
      expect(service.read_only).toBe(true)
      expect(Number.parseInt(service.stop_grace_period ?? '')).toBeGreaterThan(5 + longestEnd())
      expect(service.volumes.filter((each) => !each.endsWith(':ro'))).toHaveLength(1)
      for (const each of service.volumes) {
        if (!each.endsWith(':ro')) expect(each).toMatch(/^data-\d:\/data$/)
      }
    }
  })

  test('hands over every secret as a file that is listed', () => {
    for (const [, { environment, secrets }] of Object.entries(compose.services)) {
      const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'))
      expect(files.map((path) => path.replace('/run/secrets/', '')).sort()).toEqual(
        [...secrets].sort(),
      )
    }
    for (const { file } of Object.values(compose.secrets)) {
      expect(dirname(file)).toBe('deploy/secrets')
    }
  })

  test('waits for what is healthy, and trusts only the network of nginx', () => {
    const { nginx, postgres } = compose.services
    expect(nginx?.healthcheck).toBeDefined()
    expect(postgres?.healthcheck).toBeDefined()
    for (const { depends_on } of Object.values(compose.services)) {
      for (const { condition } of Object.values(depends_on))
        expect(condition).toBe('service_healthy')
    }
    const subnets = compose.networks.front?.ipam?.config.map(({ subnet }) => subnet)
    for (const [, { environment }] of sightlines) {
      expect([environment.SIGHTLINE_TRUSTED_PROXIES]).toEqual(subnets)
    }
  })

  test('mounts files that exist, but for the one that everybody writes for themselves', () => {
    const mounted = Object.values(compose.services)
      .flatMap(({ volumes }) => volumes)
      .filter((each) => each.startsWith('./'))
      .map((each) => each.split(':')[0] ?? '')
    const missing = mounted.filter((path) => !existsSync(join(root, path)))
    expect([...new Set(missing)].filter((path) => path !== './sightline.yaml')).toEqual([])
  })
})

test('the port that the files call the default is the default', () => {
  expect(Settings.parse({}).PORT).toBe(8080)
})
