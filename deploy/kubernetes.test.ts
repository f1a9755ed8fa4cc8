import { Deployment } from 'kubernetes-models/apps/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Secret, Service } from 'kubernetes-models/v1'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { longestEnd, startMistakes, textOf } from './settings.test-support.ts'

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
})
type Manifest = z.output<typeof Manifest>

/** As Kubernetes reads them, where 0440 is octal. */
function manifestsOf(name: string): Manifest[] {
  const documents = parseAllDocuments(textOf(`deploy/kubernetes/${name}`), { version: '1.1' })
  return documents.map((document) => Manifest.parse(document.toJS()))
}

const manifests = ['sightline.yaml', 'secret.example.yaml', 'ingress.example.yaml'].flatMap(
  manifestsOf,
)

function manifest(kind: string): Manifest {
  const found = manifests.find((each) => each.kind === kind)
  if (found === undefined) throw new Error(`there is no ${kind}`)
  return found
}

/** The kinds with the schema of the Kubernetes API. */
const kinds = {
  ConfigMap,
  Deployment,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service,
}
const Kind = z.custom<keyof typeof kinds>((kind) => Object.hasOwn(kinds, String(kind)))

/** What is wrong with a manifest by the schema, which lets keys pass that it does not know. */
function schemaMistakes(given: Manifest): string[] {
  const model = new kinds[Kind.parse(given.kind)]()
  if (given.apiVersion !== model.apiVersion) return [`${given.kind} is of ${model.apiVersion}`]
  const unread: (() => string[])[] = []
  try {
    model.validate.call(watch(given, given.kind, unread))
  } catch (error) {
    return [String(error)]
  }
  return unread.flatMap((keys) => keys())
}

/** The same, which notes the keys of it and of all that is in it that are never looked at. */
function watch(value: unknown, path: string, unread: (() => string[])[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const parts = new Map(
    Object.entries(value).map(([key, each]) => [key, watch(each, `${path}.${key}`, unread)]),
  )
  const read = new Set<string>()
  unread.push(() => {
    return [...parts.keys()].filter((key) => !read.has(key)).map((key) => `${path}.${key}`)
  })
  return new Proxy(value, {
    get: (target, key): unknown => {
      if (typeof key === 'symbol' || !parts.has(key)) return Reflect.get(target, key)
      read.add(key)
      return parts.get(key)
    },
  })
}

const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) })
const Pod = z.object({
  enableServiceLinks: z.literal(false),
  automountServiceAccountToken: z.literal(false),
  terminationGracePeriodSeconds: z.number(),
  securityContext: z.object({ runAsNonRoot: z.literal(true) }),
  containers: z.tuple([
    z.object({
      ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
      env: z.array(z.object({ name: z.string(), value: z.string() })),
      volumeMounts: z.array(
        z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
      ),
      securityContext: z.object({
        allowPrivilegeEscalation: z.literal(false),
        readOnlyRootFilesystem: z.literal(true),
        capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
      }),
      startupProbe: Probe,
      livenessProbe: Probe,
      readinessProbe: Probe,
    }),
  ]),
  volumes: z.array(z.looseObject({ name: z.string() })),
})
const DeploymentSpec = z.object({
  spec: z.object({
    replicas: z.number(),
    strategy: z.object({ rollingUpdate: z.object({ maxUnavailable: z.number() }) }),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()),
      }),
      spec: Pod,
    }),
  }),
})
const { spec } = DeploymentSpec.parse(manifest('Deployment'))
const pod = spec.template.spec
const [container] = pod.containers

describe('the manifests', () => {
  test.each(manifests.map((each) => [each.kind, each] as const))(
    '%s has nothing that the schema does not know',
    (_kind, each) => {
      expect(schemaMistakes(each)).toEqual([])
    },
  )

  test('a misspelled key or a wrong value would be found', () => {
    const misspelled = { ...manifest('Service'), spec: { selectors: {}, ports: [{ port: 80 }] } }
    expect(schemaMistakes(misspelled)).toEqual(['Service.spec.selectors'])
    const wrong = { ...manifest('Service'), spec: { ports: [{ port: 'http' }] } }
    expect(schemaMistakes(wrong)).toEqual([expect.stringContaining('must be integer')])
  })

  test('keep every replica until the next one is ready, as none is one too few', () => {
    expect(spec.replicas).toBeGreaterThan(1)
    expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(0)
    expect(manifest('PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 })
  })

  test('everything that selects the pods selects them by their labels', () => {
    const { labels } = spec.template.metadata
    const selector = { matchLabels: labels }
    expect(spec.selector).toEqual(selector)
    expect(manifest('Service').spec).toMatchObject({ selector: labels })
    expect(manifest('PodDisruptionBudget').spec).toMatchObject({ selector })
    expect(manifest('NetworkPolicy').spec).toMatchObject({ podSelector: selector })
  })

  test('probes ask the ops port of the image, and none touches what all pods share', () => {
    expect(container.ports).toEqual([
      { name: 'http', containerPort: 8080 },
      { name: 'ops', containerPort: 9090 },
    ])
    expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'ops' })
    expect(container.startupProbe.httpGet).toEqual({ path: '/healthz', port: 'ops' })
    expect(container.readinessProbe.httpGet).toEqual({ path: '/healthz', port: 'ops' })
    expect(spec.template.metadata.annotations['prometheus.io/port']).toBe('9090')
    expect(textOf('Dockerfile')).toContain('EXPOSE 8080 9090')
  })

  test('there is more time to end than the delay and the draining take', () => {
    const delay = container.env.find(({ name }) => name === 'SIGHTLINE_SHUTDOWN_DELAY')
    expect(Number(delay?.value)).toBeGreaterThanOrEqual(10)
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(delay?.value) + longestEnd())
  })

  test('the settings start Sightline, from files that are mounted and read-only', () => {
    const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))
    const { data } = z
      .object({ data: z.object({ 'sightline.yaml': z.string() }) })
      .parse(manifest('ConfigMap'))
    const image = { SIGHTLINE_HOST: '0.0.0.0', SIGHTLINE_OPS_PORT: '9090' }
    expect(startMistakes({ ...image, ...environment }, data['sightline.yaml'])).toEqual([])

    const { stringData } = z
      .object({ stringData: z.record(z.string(), z.string()) })
      .parse(manifest('Secret'))
    const secrets = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'))
    expect(secrets.map((path) => path.replace('/run/secrets/sightline/', '')).sort()).toEqual(
      Object.keys(stringData).sort(),
    )
    const writable = container.volumeMounts.filter(({ readOnly }) => readOnly !== true)
    expect(writable).toEqual([{ name: 'data', mountPath: '/data' }])
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(
      pod.volumes.map(({ name }) => name),
    )
    // Readable by group 0, as whom every user runs it.
    expect(pod.volumes).toContainEqual({
      name: 'secrets',
      secret: { secretName: manifest('Secret').metadata.name, defaultMode: 0o440 },
    })
  })

  test('the ingress leads to the service, and lets streams be silent for 15 minutes', () => {
    const ingress = manifest('Ingress')
    expect(JSON.stringify(ingress.spec)).toContain(
      JSON.stringify({
        service: { name: manifest('Service').metadata.name, port: { name: 'http' } },
      }),
    )
    const { annotations } = z
      .object({ annotations: z.record(z.string(), z.string()) })
      .parse(ingress.metadata)
    const timeout = annotations['nginx.ingress.kubernetes.io/proxy-read-timeout']
    expect(Number(timeout)).toBeGreaterThan(15 * 60)
    expect(annotations['nginx.ingress.kubernetes.io/proxy-buffering']).toBe('off')
  })
})
