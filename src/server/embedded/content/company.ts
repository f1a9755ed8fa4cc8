import { z } from 'zod'
import { toolsWithAttributes } from '../../../protocol/build-data.ts'
import type { Wall } from '../../../protocol/wall.ts'
import company from './company.json' with { type: 'json' }

// The company of the demo data. Its tables are in company.json; here is what their columns mean.

const causes = ['compile', 'lint', 'test', 'dependency', 'configuration'] as const
const occasions = ['change', 'nightly', 'release', 'local'] as const
const languages = ['java', 'kotlin', 'scala', 'typescript', 'python'] as const
const ciSystems = ['GitHub Actions', 'Jenkins', 'GitLab'] as const

/** What can be wrong with a change, or with the world around it. */
export type Cause = (typeof causes)[number]
/** Why a build is run. */
export type Occasion = (typeof occasions)[number]
type Language = (typeof languages)[number]
type Tool = (typeof toolsWithAttributes)[number]

/** Reads rows of cells with ` | ` between them. */
function table<Row>(row: z.ZodType<Row>, lines: readonly string[]): Row[] {
  return lines.map((line) => row.parse(line.split(' | ')))
}

const words = z.string().transform((text) => text.split(' '))
const number = z.coerce.number()

// Machines and people

const operatingSystems = {
  ubuntu: { family: 'linux', name: 'Linux', version: '6.8.0-1036-aws', arch: 'amd64' },
  graviton: { family: 'linux', name: 'Linux', version: '6.14.0-1012-aws', arch: 'aarch64' },
  mac: { family: 'os x', name: 'Mac OS X', version: '15.6.1', arch: 'aarch64' },
  intel: { family: 'os x', name: 'Mac OS X', version: '14.7.2', arch: 'x86_64' },
  windows: { family: 'windows', name: 'Windows 11', version: '10.0', arch: 'amd64' },
} as const

/** Vendor, runtime version and class version, by Java version. */
const jvms = {
  17: { vendor: 'Eclipse Adoptium', runtime: '17.0.16+8', classes: '61.0' },
  21: { vendor: 'Eclipse Adoptium', runtime: '21.0.8+9-LTS', classes: '65.0' },
  25: { vendor: 'Amazon.com Inc.', runtime: '25.0.1+8-LTS', classes: '69.0' },
} as const

/** Country, name and time zone of a locale by office, and its offset from UTC in hours. */
const offices = {
  berlin: ['de', 'DE', 'German (Germany)', 'Europe/Berlin', 1],
  boston: ['en', 'US', 'English (United States)', 'America/New_York', -5],
  london: ['en', 'GB', 'English (United Kingdom)', 'Europe/London', 0],
  ci: ['en', 'US', 'English (United States)', 'Etc/UTC', 0],
} as const

/** What a build tool reports of the computer it runs on. */
export interface Machine {
  readonly publicHostname: string
  /** Null where the agent reports the public name only, as in containers. */
  readonly localHostname: string | null
  readonly ipAddresses: readonly string[]
  readonly os: (typeof operatingSystems)[keyof typeof operatingSystems]
  readonly cores: number
  readonly jvm: (typeof jvms)[keyof typeof jvms]
  /** Most heap that the build's JVM may take, in bytes. */
  readonly maxHeap: number
  readonly locale: (typeof offices)[keyof typeof offices]
}

const gibibyte = 2 ** 30

/** The developers, each with a laptop. */
export const people: readonly { readonly username: string; readonly machine: Machine }[] = table(
  z
    .tuple([
      z.string(),
      z.string(),
      z.enum(['berlin', 'boston', 'london']),
      z.string(),
      z.enum(['ubuntu', 'mac', 'intel', 'windows']),
      z.enum(['17', '21', '25']),
      number,
    ])
    .transform(([username, host, office, address, os, jvm, cores]) => ({
      username,
      machine: {
        publicHostname: `${host}.${office}.acme.example`,
        localHostname: host,
        ipAddresses: [address],
        os: operatingSystems[os],
        cores,
        jvm: jvms[jvm],
        maxHeap: (cores > 8 ? 4 : 2) * gibibyte,
        locale: offices[office],
      },
    })),
  company.people,
)

/** The build agents, by the system that gives them work: their user, how many, and each of them. */
export const agentPools = {
  'GitHub Actions': pool('runner', 24, 'linux-large-', 1, {
    os: operatingSystems.ubuntu,
    cores: 8,
    jvm: jvms[21],
  }),
  Jenkins: pool('jenkins', 10, 'agent', 2, {
    os: operatingSystems.ubuntu,
    cores: 16,
    jvm: jvms[17],
  }),
  GitLab: pool('gitlab-runner', 12, 'runner-arm-', 3, {
    os: operatingSystems.graviton,
    cores: 8,
    jvm: jvms[25],
  }),
} as const

function pool(
  username: string,
  size: number,
  prefix: string,
  subnet: number,
  machine: Pick<Machine, 'os' | 'cores' | 'jvm'>,
): { username: string; size: number; agent: (number: number) => Machine } {
  return {
    username,
    size,
    agent: (number) => {
      const name = `${prefix}${String(number).padStart(2, '0')}`
      return {
        ...machine,
        publicHostname: `${name}.ci.acme.example`,
        localHostname: username === 'runner' ? null : name,
        ipAddresses: [`10.60.${subnet}.${10 + number}`, '172.17.0.1'],
        maxHeap: 4 * gibibyte,
        locale: offices.ci,
      }
    },
  }
}

// Tools and jobs

/** From when on (epoch ms) which version of a tool and of its agent are used. */
export interface ToolRelease {
  readonly since: number
  readonly tool: string
  readonly agent: string
}

/** The releases of a tool, oldest first, as a team upgrades to them some days late (or early). */
function releasesOf(tool: Tool, delayDays: number): ToolRelease[] {
  return company.releases[tool].map((text) => {
    const [day = '', version = '', agent = ''] = text.split(' ')
    return { since: Date.parse(day) + delayDays * 86_400_000, tool: version, agent }
  })
}

/**
 * The release that was in use at `at` (epoch ms), or the one `back` releases before it, if there is
 * one so old. Throws a RangeError when there is none at all.
 */
export function releaseAt(releases: readonly ToolRelease[], at: number, back: number): ToolRelease {
  const used = releases.filter(({ since }, index) => index === 0 || since <= at)
  const found = used[Math.max(0, used.length - 1 - back)]
  if (found === undefined) throw new RangeError('no release')
  return found
}

/** Which faults a job finds; it passes in spite of the others. */
const finds = {
  all: causes,
  compile: ['compile', 'dependency', 'configuration'],
  test: ['compile', 'test', 'dependency', 'configuration'],
  lint: ['lint', 'configuration'],
  resolve: ['dependency'],
} as const satisfies Readonly<Record<string, readonly Cause[]>>

const Job = z
  .tuple([
    z.enum(occasions),
    z.string(),
    z.enum(['all', 'compile', 'test', 'lint', 'resolve']),
    number,
    number,
    words,
  ])
  .transform(([occasion, name, kind, effort, weight, requested]) => {
    const found: readonly Cause[] = finds[kind]
    return { occasion, name, finds: found, effort, weight, requested }
  })

/**
 * One kind of build of a project: why it runs, its name, what it finds, its effort as a multiple of
 * the project's base duration, how often it runs compared to others of the occasion, and the
 * requested work; `{module}` stands for the changed module, `{lint}` for Gradle's linter.
 */
export type Job = z.infer<typeof Job>

const jobs = {
  gradle: table(Job, company.jobs.gradle),
  /** A large repository where most builds touch one module, and only some build everything. */
  monorepo: table(Job, company.jobs.monorepo),
  maven: table(Job, company.jobs.maven),
  /** Bazel's command stands before the targets. */
  bazel: table(Job, company.jobs.bazel),
  sbt: table(Job, company.jobs.sbt),
  npm: table(Job, company.jobs.npm),
  python: table(Job, company.jobs.python),
} as const

// Projects

const Project = z
  .tuple([
    z.string(),
    z.enum(toolsWithAttributes),
    z.enum(languages),
    z.enum(ciSystems),
    z.string(),
    z.enum(['calm', 'red', 'flaky', 'slow']),
    number,
    number,
    number,
    number,
    words,
    words,
    words,
  ])
  .transform(
    ([name, tool, language, ci, ticket, story, weight, seconds, cached, delay, ...names]) => ({
      name,
      tool,
      language,
      ci,
      ticket,
      story,
      weight,
      baseDuration: seconds * 1000 * (story === 'slow' ? 2 : 1),
      cached,
      releases: releasesOf(tool, delay),
      team: names[0],
      modules: names[1],
      subjects: names[2],
      jobs: name === 'platform' ? jobs.monorepo : jobs[tool],
      /** A build of plugins that is part of every build, as Gradle knows it. */
      includedBuild: includedBuilds[name],
    }),
  )

/** A project of the company and its habits: a row of the table. */
export type Project = z.infer<typeof Project>

const includedBuilds: Readonly<Record<string, string>> = {
  checkout: 'build-logic',
  platform: 'build-conventions',
}

/**
 * What the company builds: name, tool, language, CI system, prefix of tickets and feature branches,
 * what is special about it, its share of all builds, the usual duration of a job of effort 1 (s), how
 * much of the work a warm build cache saves (0: no build cache), how many days late it upgrades its
 * tool, its team, its modules (later ones stand on earlier ones), and what its classes are about.
 */
export const projects: readonly Project[] = table(Project, company.projects)

/** What feature branches are about. */
export const topics: readonly string[] = company.topics

/** What a bot proposes to upgrade. */
export const upgrades: Readonly<Record<Language, readonly string[]>> = company.upgrades

/** The names of tests. */
export const testNames: readonly string[] = company.testNames

// What builds resolve, and what is watched

const vulnerable: Readonly<Record<string, readonly string[]>> = {
  payments: ['pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1'],
}
const unapproved: Readonly<Record<string, readonly string[]>> = {
  'shop-android': ['https://jitpack.io/'],
  warehouse: ['https://repo1.maven.org/maven2/'],
}
const registries = { npm: 'npm-public/', python: 'pypi-public/simple/', maven: 'maven-public/' }

/**
 * What the builds of a project resolve: package URLs, distinct and sorted, and the base addresses
 * of repositories. One project uses a library with a known vulnerability, others a repository that
 * nobody approved. A project that is not of this company resolves nothing.
 */
export function dependenciesOf(name: string): {
  readonly purls: readonly string[]
  readonly repositories: readonly string[]
} {
  const project = projects.find((one) => one.name === name)
  if (project === undefined) return { purls: [], repositories: [] }
  const { language, tool } = project
  const registry = registries[tool === 'npm' || tool === 'python' ? tool : 'maven']
  return {
    purls: [...company.libraries[language], ...(vulnerable[name] ?? [])].sort(),
    repositories: [`https://artifacts.acme.example/${registry}`, ...(unapproved[name] ?? [])],
  }
}

/** Walls of the company: its main branches, and its continuous integration by build tool. */
export function offeredWalls(): Wall[] {
  const main = projects.map(({ name }) => ({
    title: name,
    query: `project:${name} and value:"Git branch=main"`,
    // What everything else waits for.
    pinned: name === 'checkout',
  }))
  const tools = toolsWithAttributes.map((tool) => ({
    title: tool,
    query: `buildTool:${tool} and tag:CI`,
    pinned: false,
  }))
  return [
    { name: 'main', title: 'Main branches', tiles: main, order: 'failing-first', group: 'none' },
    {
      name: 'tools',
      title: 'CI builds by build tool',
      tiles: tools,
      order: 'stable',
      group: 'none',
    },
  ]
}
