import type { Facts } from '../../src/protocol/facts.ts'

/** How often things are: the nth of `count` is n times rarer than the first. */
export const projects = Array.from({ length: 200 }, (_, n) => `project-${n}`)
export const branches = Array.from({ length: 400 }, (_, n) => `team-${n % 20}/topic-${n}`)

const day = 86_400_000

/**
 * What is known of the nth build of `count` that ended now, always the same for the same numbers:
 * some common and many rare projects and tags, a commit and a run that no other build has.
 */
export function madeUpFacts(n: number, count: number, now: number): Facts {
  const random = randomOf(n)
  const project = skewed(projects, random)
  const branch = random() < 0.3 ? 'main' : skewed(branches, random)
  const ci = random() < 0.7
  const failed = random() < 0.15
  const durationMs = Math.floor(-Math.log(1 - random()) * 240_000)
  const receivedAt = now - Math.floor(((count - n) / count) * 365 * day)
  const maven = project.endsWith('7')
  const tool = maven ? 'maven' : 'gradle'
  const cores = [4, 8, 16, 32][Math.floor(random() * 4)] ?? 4
  return {
    buildId: `b${n.toString(36).padStart(12, '0')}`,
    receivedAt,
    buildTool: tool,
    buildToolVersion: maven ? '3.9.11' : `9.${Math.floor(random() * 4)}`,
    agentVersion: '4.2.1',
    user: ci ? 'ci' : `user-${Math.floor(random() * 300)}`,
    hostname: ci ? `agent-${Math.floor(random() * 60)}` : `laptop-${Math.floor(random() * 300)}`,
    project,
    requested: random() < 0.5 ? ['build'] : ['clean', `:${project}:test`],
    tags: [ci ? 'CI' : 'LOCAL', branch, random() < 0.8 ? 'Linux' : 'Mac OS X'],
    values: [
      { name: 'Git branch', value: branch },
      { name: 'Git commit id', value: Math.floor(random() * 2 ** 52).toString(16) },
      ...(ci ? [{ name: 'CI run', value: String(n) }] : []),
    ],
    outcome: failed ? 'failed' : 'succeeded',
    durationMs,
    startTime: receivedAt - durationMs,
    hasVerificationFailure: failed ? random() < 0.6 : null,
    hasNonVerificationFailure: failed ? random() < 0.5 : null,
    fields: {
      [`${tool}.environment.numberOfCpuCores`]: cores,
      [`${tool}.environment.operatingSystem`]: 'Linux 6.8.0 (amd64)',
      [`${tool}.environment.jreVersion`]: 'Eclipse Adoptium OpenJDK Runtime Environment 21.0.4+7',
      [`${tool}.buildOptions.offlineModeEnabled`]: false,
      [`${tool}.platformSettings.backgroundPublicationEnabled`]: !ci,
      [`${tool}.buildCache.remote.enabled`]: true,
    },
  }
}

/** From 0 up to 1, by a generator of its own for each seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

function skewed(names: readonly string[], random: () => number): string {
  return names[Math.floor(names.length ** random()) - 1] ?? names[0] ?? ''
}
