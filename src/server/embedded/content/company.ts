import { z } from 'zod'
import { toolsWithAttributes } from '../../../protocol/build-data.ts'
import type { Wall } from '../../../protocol/wall.ts'

// The made-up company as data: its people, machines, projects, jobs and tool versions.

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

/** Reads rows of cells with `|` between them. */
function table<Row>(row: z.ZodType<Row>, text: string): Row[] {
  const lines = text.trim().split('\n')
  return lines.map((line) => row.parse(line.split('|').map((cell) => cell.trim())))
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
  `akira  | akira-mbp  | berlin | 10.20.4.11 | mac     | 21 | 12
   amelie | amelie-mbp | berlin | 10.20.4.17 | mac     | 21 | 10
   ben    | wks-0412   | boston | 10.40.1.52 | windows | 21 | 16
   carla  | carla-mbp  | boston | 10.40.1.61 | mac     | 25 | 14
   chidi  | chidi-mbp  | london | 10.30.2.20 | mac     | 21 | 12
   dana   | dana-x1    | berlin | 10.20.4.33 | ubuntu  | 21 | 16
   elif   | elif-mbp   | berlin | 10.20.4.35 | mac     | 17 | 8
   fabio  | fabio-mbp  | london | 10.30.2.24 | intel   | 17 | 8
   grace  | grace-mbp  | boston | 10.40.1.70 | mac     | 21 | 12
   henrik | henrik-t14 | berlin | 10.20.4.41 | ubuntu  | 21 | 12
   ines   | ines-mbp   | london | 10.30.2.31 | mac     | 25 | 14
   jamal  | wks-0431   | boston | 10.40.1.83 | windows | 21 | 12
   kaja   | kaja-mbp   | berlin | 10.20.4.52 | mac     | 21 | 10
   leon   | leon-mbp   | berlin | 10.20.4.58 | intel   | 17 | 8
   mei    | mei-mbp    | boston | 10.40.1.91 | mac     | 21 | 14
   noor   | noor-x1    | london | 10.30.2.44 | ubuntu  | 21 | 16
   oskar  | oskar-mbp  | berlin | 10.20.4.66 | mac     | 21 | 12
   priya  | priya-mbp  | london | 10.30.2.47 | mac     | 25 | 12`,
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

const toolReleases: Readonly<Record<Tool, string>> = {
  gradle: `2024-05-06 8.7 3.17.2, 2024-10-14 8.10.2 3.18.1, 2025-03-10 8.13 3.19.2,
    2025-08-25 9.0.0 4.1.1, 2025-12-08 9.2.1 4.2.2, 2026-05-18 9.4.1 4.3.2, 2026-10-05 9.6.0 4.4`,
  maven: `2024-04-02 3.9.6 1.21.1, 2024-11-04 3.9.9 1.22.2, 2025-07-21 3.9.11 2.1,
    2026-03-09 3.9.12 2.3.1`,
  bazel:
    '2024-06-01 7.1.2 1.0, 2025-05-12 8.2.1 1.1.1, 2026-01-19 8.5.0 1.2, 2026-08-03 9.0.1 1.2.2',
  sbt: '2024-06-01 1.10.7 1.1.2, 2025-09-08 1.11.6 1.3, 2026-04-20 1.12.2 1.4.1',
  npm: '2025-01-13 10.9.2 1.0.3, 2025-10-20 11.6.1 2.0.1, 2026-06-15 11.9.0 3.0.0',
  python: '2025-02-03 3.12.8 0.6, 2025-11-17 3.13.9 0.9, 2026-07-06 3.14.2 0.11',
}

/** The releases of a tool, oldest first, as a team upgrades to them some days late (or early). */
function releasesOf(tool: Tool, delayDays: number): ToolRelease[] {
  return toolReleases[tool].split(/,\s+/).map((text) => {
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
  gradle: table(
    Job,
    `change  | build             | all     | 1    | 4 | build
     change  | check             | all     | 0.9  | 3 | check
     change  | unit-tests        | test    | 0.7  | 4 | test
     change  | static-analysis   | lint    | 0.3  | 2 | spotlessCheck {lint}
     change  | integration-tests | test    | 1.8  | 2 | integrationTest
     nightly | nightly           | all     | 2.6  | 1 | clean build integrationTest
     release | release           | all     | 1.4  | 2 | build publish
     release | publish           | compile | 0.8  | 1 | publish
     local   | local             | test    | 0.35 | 6 | :{module}:test
     local   | local             | compile | 0.3  | 3 | assemble
     local   | local             | all     | 0.8  | 2 | check`,
  ),
  /** A large repository where most builds touch one module, and only some build everything. */
  monorepo: table(
    Job,
    `change  | affected  | all     | 0.35 | 30  | :{module}:check
     change  | affected  | all     | 0.4  | 20  | :{module}:build
     change  | build-all | all     | 2.4  | 0.5 | build
     nightly | nightly   | all     | 4    | 1   | clean build
     release | publish   | compile | 0.4  | 1   | :{module}:publish
     local   | local     | test    | 0.2  | 5   | :{module}:test
     local   | local     | compile | 0.15 | 2   | :{module}:assemble`,
  ),
  maven: table(
    Job,
    `change  | verify  | all     | 1   | 5 | clean verify
     change  | test    | test    | 0.6 | 3 | test
     change  | compile | compile | 0.3 | 1 | clean compile
     nightly | nightly | all     | 1.8 | 1 | clean install
     release | deploy  | all     | 1.3 | 1 | clean deploy
     local   | local   | test    | 0.5 | 4 | test
     local   | local   | all     | 0.9 | 3 | clean install
     local   | local   | compile | 0.2 | 2 | compile`,
  ),
  /** Bazel's command stands before the targets. */
  bazel: table(
    Job,
    `change  | test    | test    | 1   | 5 | test //...
     change  | build   | compile | 0.6 | 2 | build //...
     change  | test    | test    | 0.4 | 4 | test //{module}/...
     nightly | nightly | test    | 2.2 | 1 | test //... -//tools/...
     release | images  | compile | 0.9 | 1 | run //deploy:images
     local   | local   | test    | 0.3 | 4 | test //{module}:all
     local   | local   | compile | 0.2 | 2 | build //{module}/...`,
  ),
  sbt: table(
    Job,
    `change  | test        | test    | 1   | 4 | clean test
     change  | check       | all     | 1.1 | 3 | scalafmtCheckAll compile test
     change  | integration | test    | 1.5 | 2 | {module}/IntegrationTest/test
     nightly | nightly     | test    | 2.4 | 1 | +clean +test
     release | publish     | compile | 0.8 | 1 | publish
     local   | local       | test    | 0.4 | 4 | {module}/test
     local   | local       | compile | 0.2 | 2 | compile`,
  ),
  npm: table(
    Job,
    `change  | test    | test    | 1   | 5 | run test
     change  | lint    | lint    | 0.4 | 3 | run lint
     change  | build   | compile | 0.9 | 4 | run build
     change  | install | resolve | 0.5 | 3 | ci
     nightly | nightly | test    | 3   | 1 | run e2e
     release | publish | compile | 0.3 | 1 | publish --access restricted
     local   | local   | test    | 0.6 | 3 | test
     local   | local   | resolve | 0.4 | 1 | install`,
  ),
  python: table(
    Job,
    `change  | test    | test    | 1   | 5 | pytest -q
     change  | lint    | lint    | 0.1 | 2 | ruff check .
     change  | types   | compile | 0.4 | 2 | mypy src
     nightly | nightly | test    | 3   | 1 | pytest tests/integration
     release | wheel   | compile | 0.4 | 1 | python -m build
     local   | local   | test    | 0.4 | 4 | pytest tests/{module}`,
  ),
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
      modules: name === 'platform' ? platformModules() : names[1],
      subjects: names[2],
      jobs: name === 'platform' ? jobs.monorepo : jobs[tool],
      /** A build of plugins that is part of every build, as Gradle knows it. */
      includedBuild: includedBuilds[name],
    }),
  )

/** A project of the company and its habits: a row of the table below. */
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
export const projects: readonly Project[] = table(
  Project,
  `checkout | gradle | kotlin | GitHub Actions | CHK | calm | 16 | 210 | 0.75 | 0 | akira carla chidi kaja priya | checkout-model checkout-api checkout-app | Basket Order Voucher DeliverySlot CheckoutSession
   payments | gradle | java | GitHub Actions | PAY | flaky | 13 | 290 | 0.6 | 20 | amelie ben grace noor | payments-domain payments-providers payments-service | Payment Refund Chargeback CardToken Settlement
   platform | gradle | kotlin | GitHub Actions | PLT | slow | 9 | 420 | 0.85 | -12 | dana henrik ines mei oskar | - | Retry Lease Outbox Tracing FeatureFlag RateLimit
   shop-android | gradle | kotlin | GitHub Actions | APP | calm | 7 | 480 | 0.55 | 45 | elif fabio mei | design network app | ProductList Login PushMessage OfflineQueue
   catalog-service | gradle | kotlin | GitLab | CAT | calm | 6 | 160 | 0.7 | 5 | jamal leon priya | catalog-domain catalog-service | Product Category Assortment Attribute
   pricing-engine | gradle | java | Jenkins | PRC | calm | 5 | 250 | 0 | 70 | henrik noor | rules engine service | Discount TaxRate PriceList Rounding
   identity | gradle | java | GitHub Actions | IDT | calm | 5 | 180 | 0.65 | 10 | chidi grace | tokens identity-server | Session Passkey Consent TokenExchange
   warehouse | maven | java | Jenkins | WHS | red | 8 | 340 | 0.4 | 0 | ben leon oskar | warehouse-model warehouse-picking warehouse-api warehouse-dist | StockLevel PickList Shipment Carrier
   invoicing | maven | java | Jenkins | INV | calm | 4 | 230 | 0 | 40 | carla jamal | invoicing-core invoicing-export invoicing-web | Invoice DunningRun Ledger VatReport
   customer-api | maven | java | GitLab | CUS | calm | 4 | 140 | 0.5 | 15 | amelie dana | customer-model customer-api | Customer Address LoyaltyAccount
   search-index | bazel | java | GitHub Actions | SRC | calm | 6 | 190 | 0.9 | 0 | ines kaja mei | indexer query ranking serving | Tokenizer Posting Synonym Facet
   event-stream | sbt | scala | GitLab | EVT | calm | 4 | 260 | 0 | 0 | fabio oskar | core connectors stream-jobs | Watermark Partition Replay Schema
   storefront-web | npm | typescript | GitHub Actions | WEB | calm | 9 | 95 | 0 | 0 | elif jamal priya akira | pages components api-client | ProductPage SearchBox BasketDrawer CookieBanner
   design-system | npm | typescript | GitHub Actions | DSN | calm | 3 | 60 | 0 | 30 | elif kaja | tokens react | Button DatePicker Dialog Toast
   recommendations | python | python | GitHub Actions | REC | calm | 4 | 120 | 0 | 0 | ines leon noor | features training serving | Embedding Candidate Ranker Feedback`,
)

function platformModules(): string[] {
  const areas = ['config', 'http', 'kafka', 'jdbc', 'metrics', 'tracing', 'security', 'testing']
  const layers = ['api', 'core', 'spring', 'micronaut', 'bom', 'samples']
  return areas.flatMap((area) => layers.map((layer) => `${area}-${layer}`))
}

/** What feature branches are about. */
export const topics = [
  'retry-{subject}-on-timeout',
  'validate-{subject}',
  'cache-{subject}-lookups',
  '{subject}-metrics',
  'split-{subject}-table',
  'drop-legacy-{subject}',
  '{subject}-null-handling',
  'async-{subject}',
  'paginate-{subject}-list',
  '{subject}-audit-log',
  '{subject}-time-zones',
  'trace-{subject}',
]

/** What a bot proposes to upgrade. */
export const upgrades: Readonly<Record<Language, readonly string[]>> = {
  java: ['spring-boot-4.x', 'junit5-monorepo', 'jackson', 'testcontainers'],
  kotlin: ['kotlin-monorepo', 'ktor-monorepo', 'junit5-monorepo', 'kotest'],
  scala: ['scala-3.x', 'pekko-monorepo', 'cats'],
  typescript: ['react-monorepo', 'vite-8.x', 'playwright-monorepo'],
  python: ['pydantic-2.x', 'numpy-2.x', 'ruff'],
}

/** The names of tests. */
export const testNames = [
  'rejectsInvalidInput',
  'returnsEmptyResultForUnknownId',
  'retriesOnTimeout',
  'roundTripsThroughJson',
  'survivesRestart',
  'sortsByNewestFirst',
  'appliesLatestVersion',
  'ignoresDuplicates',
  'keepsOrderUnderConcurrency',
  'expiresAfterGracePeriod',
]

// What builds resolve, and what is watched

const jackson = 'pkg:maven/com.fasterxml.jackson.core/jackson-databind@2.19.2'
const jvmLibraries = `${jackson} pkg:maven/com.google.guava/guava@33.4.8-jre
  pkg:maven/org.apache.commons/commons-lang3@3.18.0 pkg:maven/org.slf4j/slf4j-api@2.0.17`
const libraries: Readonly<Record<Language, string>> = {
  java: jvmLibraries,
  scala: jvmLibraries,
  kotlin: `pkg:maven/io.ktor/ktor-server-core@3.2.3 pkg:maven/org.slf4j/slf4j-api@2.0.17
    pkg:maven/org.jetbrains.kotlin/kotlin-stdlib@2.2.10`,
  typescript: `pkg:npm/%40tanstack/react-query@5.85.5 pkg:npm/react@19.1.1 pkg:npm/react-dom@19.1.1
    pkg:npm/typescript@5.9.2 pkg:npm/vite@7.1.3`,
  python: 'pkg:pypi/numpy@2.3.2 pkg:pypi/pandas@2.3.2 pkg:pypi/requests@2.32.5',
}
const vulnerable: Readonly<Record<string, string>> = {
  payments: ' pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
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
    purls: `${libraries[language]}${vulnerable[name] ?? ''}`.split(/\s+/).sort(),
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
      title: 'Continuous integration by build tool',
      tiles: tools,
      order: 'stable',
      group: 'none',
    },
  ]
}
