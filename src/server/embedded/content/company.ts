import { z } from 'zod'
import { toolsWithAttributes } from '../../../protocol/build-data.ts'
import type { Wall } from '../../../protocol/wall.ts'
import company from './company.json' with { type: 'json' }

// The company of the demo data. Its tables are in company.json; here is what their columns mean.

const causes = ['compile', 'lint', 'test', 'dependency', 'configuration'] as const
const occasions = ['change', 'nightly', 'release', 'local'] as const
const languages = ['java', 'kotlin', 'scala', 'typescript', 'python'] as const
const ciSystems = ['GitHub Actions', 'Jenkins', 'GitLab'] as const

/** What can be wrong with a change, or with its surroundings. */
export type Cause = (typeof causes)[number]
/** Why a build is run. */
export type Occasion = (typeof occasions)[number]

/** Reads rows of cells with ` | ` between them. */
export function table<Row>(row: z.ZodType<Row>, lines: readonly string[]): Row[] {
  return lines.map((line) => row.parse(line.split(' | ')))
}

const words = z.string().transform((text) => text.split(' ').filter(Boolean))
const number = z.coerce.number()

// Machines and people

const Os = z
  .enum(['ubuntu', 'graviton', 'mac', 'intel', 'windows'])
  .transform((name) => company.operatingSystems[name])
const Jvm = z.enum(['17', '21', '25']).transform((version) => company.jvms[version])
const gibibyte = 2 ** 30

/** The developers: name, the laptop's name, office, address, operating system, Java and cores. */
export const people = table(
  z
    .tuple([
      z.string(),
      z.string(),
      z.enum(['berlin', 'boston', 'london']),
      z.string(),
      Os,
      Jvm,
      number,
    ])
    .transform(([username, host, office, address, ...hardware]) => ({
      username,
      machine: machineOf(`${host}.${office}`, host, [address], office, ...hardware),
    })),
  company.people,
)

function machineOf(
  name: string,
  /** Null where the agent reports the public name only, as in containers. */
  localHostname: string | null,
  ipAddresses: readonly string[],
  office: keyof typeof company.offices,
  os: z.infer<typeof Os>,
  jvm: z.infer<typeof Jvm>,
  cores: number,
) {
  return {
    publicHostname: `${name}.acme.example`,
    localHostname,
    ipAddresses,
    os,
    jvm,
    cores,
    /** Most heap that the build's JVM may take, in bytes. */
    maxHeap: (office === 'ci' || cores > 8 ? 4 : 2) * gibibyte,
    office: company.offices[office],
  }
}

/** What a build tool reports of the computer it runs on. */
export type Machine = ReturnType<typeof machineOf>

/**
 * The build agents by the system that gives them work: their user, how many, and each of them. A
 * row has the system, the user, the number, a prefix of names, the subnet, and the machine.
 */
export const agentPools = new Map(
  table(
    z
      .tuple([z.enum(ciSystems), z.string(), number, z.string(), number, Os, Jvm, number])
      .transform(([ci, username, size, prefix, subnet, ...hardware]) => {
        const agent = (number: number): Machine => {
          const name = `${prefix}${String(number).padStart(2, '0')}`
          const addresses = [`10.60.${subnet}.${10 + number}`, '172.17.0.1']
          const local = username === 'runner' ? null : name
          return machineOf(`${name}.ci`, local, addresses, 'ci', ...hardware)
        }
        return [ci, { username, size, agent }] as const
      }),
    company.agentPools,
  ),
)

// Tools and jobs

/** From when on (epoch ms) which version of a tool and of its agent are used. */
export interface ToolRelease {
  readonly since: number
  readonly tool: string
  readonly agent: string
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
    z
      .enum(['all', 'compile', 'test', 'lint', 'resolve'])
      .transform((kind): readonly Cause[] => finds[kind]),
    number,
    number,
    words,
  ])
  .transform(([occasion, name, finds, effort, weight, requested]) => {
    return { occasion, name, finds, effort, weight, requested }
  })

/**
 * One kind of build of a project: why it runs, its name, what it finds, its effort as a multiple of
 * the project's base duration, how often it runs compared to others of the occasion, and the
 * requested work; `{module}` stands for the changed module, `{lint}` for Gradle's linter.
 */
export type Job = z.infer<typeof Job>

// Projects

const Project = z
  .tuple([
    z.string(),
    z.enum(toolsWithAttributes),
    z.enum(languages),
    z.enum(ciSystems),
    z.string(),
    number,
    number,
    number,
    number,
    words,
    words,
    words,
  ])
  .transform(([name, tool, language, ci, ticket, weight, seconds, cached, delay, ...names]) => ({
    name,
    tool,
    language,
    ci,
    ticket,
    weight,
    baseDuration: seconds * 1000,
    cached,
    /** Oldest first, some days after (or before) they came out. */
    releases: company.releases[tool].map((text): ToolRelease => {
      const [day = '', version = '', agent = ''] = text.split(' ')
      return { since: Date.parse(day) + delay * 86_400_000, tool: version, agent }
    }),
    team: names[0],
    modules: names[1],
    subjects: names[2],
    /** In a large repository most builds touch one module, and only some build everything. */
    jobs: table(Job, company.jobs[name === 'platform' ? 'monorepo' : tool]),
    /** A build of plugins that is part of every build, as Gradle knows it. */
    includedBuild: new Map(Object.entries(company.includedBuilds)).get(name),
  }))

/** A project of the company and its habits: a row of the table. */
export type Project = z.infer<typeof Project>

/**
 * What the company builds: name, tool, language, CI system, prefix of tickets and feature branches,
 * its share of all builds, the usual duration of a job of effort 1 (s), how much of the work a warm
 * build cache saves (0: no build cache), how many days late it upgrades its tool, its team, its
 * modules (later ones stand on earlier ones), and what its classes are about.
 */
export const projects: readonly Project[] = table(Project, company.projects)

// What builds resolve, and what is watched

const vulnerable: Readonly<Record<string, readonly string[]>> = company.vulnerable
const unapproved: Readonly<Record<string, readonly string[]>> = company.unapproved
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
