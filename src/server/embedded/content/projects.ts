import type { ToolWithAttributes } from '../../../protocol/attributes.ts'
import {
  bazelJobs,
  gradleJobs,
  type Job,
  mavenJobs,
  monorepoJobs,
  npmJobs,
  pythonJobs,
  sbtJobs,
} from './jobs.ts'
import type { agentPools } from './machines.ts'
import {
  gradleReleases,
  mavenReleases,
  npmReleases,
  release,
  type ToolRelease,
} from './tool-releases.ts'

/** A project of the company and its habits. */
export interface Project {
  /** Its name as its builds report it, and that of its repository. */
  readonly name: string
  readonly tool: ToolWithAttributes
  readonly ci: keyof typeof agentPools
  /** The prefix of its tickets, which name its feature branches. */
  readonly ticket: string
  /** Usernames. */
  readonly team: readonly string[]
  /** Later ones stand on earlier ones. */
  readonly modules: readonly string[]
  readonly language: 'java' | 'kotlin' | 'scala' | 'typescript' | 'python'
  /** A build of plugins that is part of every build, as Gradle knows it. */
  readonly includedBuild?: string
  /** What its classes are about. */
  readonly subjects: readonly string[]
  /** Oldest first. */
  readonly releases: readonly ToolRelease[]
  readonly jobs: readonly Job[]
  /** Its share of all builds, compared to other projects. */
  readonly weight: number
  /** The usual duration of a job of effort 1, in ms. */
  readonly baseDuration: number
  /** How much of the work a warm build cache saves, 0 to 1; at 0 there is no build cache. */
  readonly cached: number
  /** The share of time that a branch like main is in trouble. */
  readonly trouble: number
}

/** What the company builds. */
export const projects: readonly Project[] = [
  {
    name: 'checkout',
    tool: 'gradle',
    ci: 'GitHub Actions',
    ticket: 'CHK',
    team: ['akira', 'carla', 'chidi', 'kaja', 'priya'],
    modules: ['checkout-model', 'checkout-api', 'checkout-app'],
    language: 'kotlin',
    includedBuild: 'build-logic',
    subjects: ['Basket', 'Order', 'Voucher', 'DeliverySlot', 'CheckoutSession'],
    releases: gradleReleases(0),
    jobs: gradleJobs,
    weight: 16,
    baseDuration: 210_000,
    cached: 0.75,
    trouble: 0.14,
  },
  {
    name: 'payments',
    tool: 'gradle',
    ci: 'GitHub Actions',
    ticket: 'PAY',
    team: ['amelie', 'ben', 'grace', 'noor'],
    modules: ['payments-domain', 'payments-providers', 'payments-service'],
    language: 'java',
    subjects: ['Payment', 'Refund', 'Chargeback', 'CardToken', 'Settlement'],
    releases: gradleReleases(20),
    jobs: gradleJobs,
    weight: 13,
    baseDuration: 290_000,
    cached: 0.6,
    trouble: 0.1,
  },
  {
    name: 'platform',
    tool: 'gradle',
    ci: 'GitHub Actions',
    ticket: 'PLT',
    team: ['dana', 'henrik', 'ines', 'mei', 'oskar'],
    modules: platformModules(),
    language: 'kotlin',
    includedBuild: 'build-conventions',
    subjects: ['Retry', 'Lease', 'Outbox', 'Tracing', 'FeatureFlag', 'RateLimit'],
    releases: gradleReleases(-12),
    jobs: monorepoJobs,
    weight: 9,
    baseDuration: 420_000,
    cached: 0.85,
    trouble: 0.12,
  },
  {
    name: 'shop-android',
    tool: 'gradle',
    ci: 'GitHub Actions',
    ticket: 'APP',
    team: ['elif', 'fabio', 'mei'],
    modules: ['design', 'network', 'app'],
    language: 'kotlin',
    subjects: ['ProductList', 'Login', 'PushMessage', 'OfflineQueue'],
    releases: gradleReleases(45),
    jobs: gradleJobs,
    weight: 7,
    baseDuration: 480_000,
    cached: 0.55,
    trouble: 0.18,
  },
  {
    name: 'catalog-service',
    tool: 'gradle',
    ci: 'GitLab',
    ticket: 'CAT',
    team: ['jamal', 'leon', 'priya'],
    modules: ['catalog-domain', 'catalog-service'],
    language: 'kotlin',
    subjects: ['Product', 'Category', 'Assortment', 'Attribute'],
    releases: gradleReleases(5),
    jobs: gradleJobs,
    weight: 6,
    baseDuration: 160_000,
    cached: 0.7,
    trouble: 0.08,
  },
  {
    name: 'pricing-engine',
    tool: 'gradle',
    ci: 'Jenkins',
    ticket: 'PRC',
    team: ['henrik', 'noor'],
    modules: ['rules', 'engine', 'service'],
    language: 'java',
    subjects: ['Discount', 'TaxRate', 'PriceList', 'Rounding'],
    releases: gradleReleases(70),
    jobs: gradleJobs,
    weight: 5,
    baseDuration: 250_000,
    cached: 0,
    trouble: 0.1,
  },
  {
    name: 'identity',
    tool: 'gradle',
    ci: 'GitHub Actions',
    ticket: 'IDT',
    team: ['chidi', 'grace'],
    modules: ['tokens', 'identity-server'],
    language: 'java',
    subjects: ['Session', 'Passkey', 'Consent', 'TokenExchange'],
    releases: gradleReleases(10),
    jobs: gradleJobs,
    weight: 5,
    baseDuration: 180_000,
    cached: 0.65,
    trouble: 0.06,
  },
  {
    name: 'warehouse',
    tool: 'maven',
    ci: 'Jenkins',
    ticket: 'WHS',
    team: ['ben', 'leon', 'oskar'],
    modules: ['warehouse-model', 'warehouse-picking', 'warehouse-api', 'warehouse-dist'],
    language: 'java',
    subjects: ['StockLevel', 'PickList', 'Shipment', 'Carrier'],
    releases: mavenReleases(0),
    jobs: mavenJobs,
    weight: 8,
    baseDuration: 340_000,
    cached: 0.4,
    trouble: 0.15,
  },
  {
    name: 'invoicing',
    tool: 'maven',
    ci: 'Jenkins',
    ticket: 'INV',
    team: ['carla', 'jamal'],
    modules: ['invoicing-core', 'invoicing-export', 'invoicing-web'],
    language: 'java',
    subjects: ['Invoice', 'DunningRun', 'Ledger', 'VatReport'],
    releases: mavenReleases(40),
    jobs: mavenJobs,
    weight: 4,
    baseDuration: 230_000,
    cached: 0,
    trouble: 0.07,
  },
  {
    name: 'customer-api',
    tool: 'maven',
    ci: 'GitLab',
    ticket: 'CUS',
    team: ['amelie', 'dana'],
    modules: ['customer-model', 'customer-api'],
    language: 'java',
    subjects: ['Customer', 'Address', 'LoyaltyAccount'],
    releases: mavenReleases(15),
    jobs: mavenJobs,
    weight: 4,
    baseDuration: 140_000,
    cached: 0.5,
    trouble: 0.09,
  },
  {
    name: 'search-index',
    tool: 'bazel',
    ci: 'GitHub Actions',
    ticket: 'SRC',
    team: ['ines', 'kaja', 'mei'],
    modules: ['indexer', 'query', 'ranking', 'serving'],
    language: 'java',
    subjects: ['Tokenizer', 'Posting', 'Synonym', 'Facet'],
    releases: [
      release('2024-06-01', '7.1.2', '1.0'),
      release('2025-05-12', '8.2.1', '1.1.1'),
      release('2026-01-19', '8.5.0', '1.2'),
      release('2026-08-03', '9.0.1', '1.2.2'),
    ],
    jobs: bazelJobs,
    weight: 6,
    baseDuration: 190_000,
    cached: 0.9,
    trouble: 0.08,
  },
  {
    name: 'event-stream',
    tool: 'sbt',
    ci: 'GitLab',
    ticket: 'EVT',
    team: ['fabio', 'oskar'],
    modules: ['core', 'connectors', 'stream-jobs'],
    language: 'scala',
    subjects: ['Watermark', 'Partition', 'Replay', 'Schema'],
    releases: [
      release('2024-06-01', '1.10.7', '1.1.2'),
      release('2025-09-08', '1.11.6', '1.3'),
      release('2026-04-20', '1.12.2', '1.4.1'),
    ],
    jobs: sbtJobs,
    weight: 4,
    baseDuration: 260_000,
    cached: 0,
    trouble: 0.1,
  },
  {
    name: 'storefront-web',
    tool: 'npm',
    ci: 'GitHub Actions',
    ticket: 'WEB',
    team: ['elif', 'jamal', 'priya', 'akira'],
    modules: ['pages', 'components', 'api-client'],
    language: 'typescript',
    subjects: ['ProductPage', 'SearchBox', 'BasketDrawer', 'CookieBanner'],
    releases: npmReleases(0),
    jobs: npmJobs,
    weight: 9,
    baseDuration: 95_000,
    cached: 0,
    trouble: 0.12,
  },
  {
    name: 'design-system',
    tool: 'npm',
    ci: 'GitHub Actions',
    ticket: 'DSN',
    team: ['elif', 'kaja'],
    modules: ['tokens', 'react'],
    language: 'typescript',
    subjects: ['Button', 'DatePicker', 'Dialog', 'Toast'],
    releases: npmReleases(30),
    jobs: npmJobs,
    weight: 3,
    baseDuration: 60_000,
    cached: 0,
    trouble: 0.05,
  },
  {
    name: 'recommendations',
    tool: 'python',
    ci: 'GitHub Actions',
    ticket: 'REC',
    team: ['ines', 'leon', 'noor'],
    modules: ['features', 'training', 'serving'],
    language: 'python',
    subjects: ['Embedding', 'Candidate', 'Ranker', 'Feedback'],
    releases: [
      release('2025-02-03', '3.12.8', '0.6'),
      release('2025-11-17', '3.13.9', '0.9'),
      release('2026-07-06', '3.14.2', '0.11'),
    ],
    jobs: pythonJobs,
    weight: 4,
    baseDuration: 120_000,
    cached: 0,
    trouble: 0.11,
  },
]

function platformModules(): string[] {
  const areas = ['config', 'http', 'kafka', 'jdbc', 'metrics', 'tracing', 'security', 'testing']
  const layers = ['api', 'core', 'spring', 'micronaut', 'bom', 'samples']
  return areas.flatMap((area) => layers.map((layer) => `${area}-${layer}`))
}
