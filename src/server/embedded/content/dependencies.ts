/** What a build takes from outside. */
export interface Dependencies {
  /** Package URLs, distinct and sorted. */
  readonly purls: readonly string[]
  /** Where they come from, as base addresses. */
  readonly repositories: readonly string[]
}

/**
 * What the builds of a project resolve. Builds tell it nowhere in the events that are made here, so
 * it is made up by the project: one uses a library that is known to be vulnerable, another one a
 * repository that nobody approved. A project that is not of this company resolves nothing.
 */
export function dependenciesOf(project: string): Dependencies {
  const { ecosystem, extra = [], repositories = [] } = habits[project] ?? {}
  if (ecosystem === undefined) return { purls: [], repositories: [] }
  const shared = ecosystems[ecosystem]
  return {
    purls: [...new Set([...shared.purls, ...extra])].sort(),
    repositories: [...shared.repositories, ...repositories],
  }
}

const jvmRepositories = ['https://artifacts.acme.example/maven-public/']

const ecosystems = {
  jvm: {
    purls: [
      'pkg:maven/com.fasterxml.jackson.core/jackson-databind@2.19.2',
      'pkg:maven/com.google.guava/guava@33.4.8-jre',
      'pkg:maven/org.apache.commons/commons-lang3@3.18.0',
      'pkg:maven/org.junit.jupiter/junit-jupiter@5.13.4',
      'pkg:maven/org.slf4j/slf4j-api@2.0.17',
    ],
    repositories: jvmRepositories,
  },
  kotlin: {
    purls: [
      'pkg:maven/io.ktor/ktor-server-core@3.2.3',
      'pkg:maven/org.jetbrains.kotlin/kotlin-stdlib@2.2.10',
      'pkg:maven/org.jetbrains.kotlinx/kotlinx-coroutines-core@1.10.2',
      'pkg:maven/org.slf4j/slf4j-api@2.0.17',
    ],
    repositories: jvmRepositories,
  },
  web: {
    purls: [
      'pkg:npm/%40tanstack/react-query@5.85.5',
      'pkg:npm/react@19.1.1',
      'pkg:npm/react-dom@19.1.1',
      'pkg:npm/typescript@5.9.2',
      'pkg:npm/vite@7.1.3',
    ],
    repositories: ['https://artifacts.acme.example/npm-public/'],
  },
  python: {
    purls: [
      'pkg:pypi/numpy@2.3.2',
      'pkg:pypi/pandas@2.3.2',
      'pkg:pypi/scikit-learn@1.7.1',
      'pkg:pypi/requests@2.32.5',
    ],
    repositories: ['https://artifacts.acme.example/pypi-public/simple/'],
  },
} as const

interface Habits {
  readonly ecosystem: keyof typeof ecosystems
  readonly extra?: readonly string[]
  readonly repositories?: readonly string[]
}

const habits: Readonly<Record<string, Habits>> = {
  checkout: { ecosystem: 'kotlin' },
  payments: {
    ecosystem: 'jvm',
    extra: ['pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1'],
  },
  platform: { ecosystem: 'kotlin' },
  'shop-android': { ecosystem: 'kotlin', repositories: ['https://jitpack.io/'] },
  'catalog-service': { ecosystem: 'jvm' },
  'pricing-engine': { ecosystem: 'jvm' },
  identity: { ecosystem: 'kotlin' },
  warehouse: { ecosystem: 'jvm', repositories: ['https://repo1.maven.org/maven2/'] },
  invoicing: { ecosystem: 'jvm' },
  'customer-api': { ecosystem: 'jvm' },
  'search-index': { ecosystem: 'jvm' },
  'event-stream': { ecosystem: 'jvm' },
  'storefront-web': { ecosystem: 'web' },
  'design-system': { ecosystem: 'web' },
  recommendations: { ecosystem: 'python' },
}
