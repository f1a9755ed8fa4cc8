/** What a build tool reports of the computer it runs on. */
export interface Machine {
  readonly publicHostname: string
  /** Null where the agent reports the public name only, as in containers. */
  readonly localHostname: string | null
  readonly ipAddresses: readonly string[]
  readonly os: OperatingSystem
  readonly cores: number
  readonly jvm: Jvm
  /** Most heap that the build's JVM may take, in bytes. */
  readonly maxHeap: number
  readonly locale: Locale
}

interface OperatingSystem {
  readonly family: 'linux' | 'os x' | 'windows'
  readonly name: string
  readonly version: string
  readonly arch: string
}

interface Jvm {
  readonly vendor: string
  readonly runtimeVersion: string
  readonly version: string
  readonly classVersion: string
}

interface Locale {
  readonly language: string
  readonly country: string
  /** As the build data API spells it. */
  readonly display: string
  readonly timeZone: string
  readonly offsetMs: number
}

const gibibyte = 2 ** 30

const ubuntu: OperatingSystem = {
  family: 'linux',
  name: 'Linux',
  version: '6.8.0-1036-aws',
  arch: 'amd64',
}
const graviton: OperatingSystem = { ...ubuntu, version: '6.14.0-1012-aws', arch: 'aarch64' }
const mac: OperatingSystem = {
  family: 'os x',
  name: 'Mac OS X',
  version: '15.6.1',
  arch: 'aarch64',
}
const olderMac: OperatingSystem = { ...mac, version: '14.7.2', arch: 'x86_64' }
const windows: OperatingSystem = {
  family: 'windows',
  name: 'Windows 11',
  version: '10.0',
  arch: 'amd64',
}

const temurin21: Jvm = {
  vendor: 'Eclipse Adoptium',
  runtimeVersion: '21.0.8+9-LTS',
  version: '21.0.8',
  classVersion: '65.0',
}
const temurin17: Jvm = {
  vendor: 'Eclipse Adoptium',
  runtimeVersion: '17.0.16+8',
  version: '17.0.16',
  classVersion: '61.0',
}
const corretto25: Jvm = {
  vendor: 'Amazon.com Inc.',
  runtimeVersion: '25.0.1+8-LTS',
  version: '25.0.1',
  classVersion: '69.0',
}

const american: Locale = {
  language: 'en',
  country: 'US',
  display: 'English (United States)',
  timeZone: 'America/New_York',
  offsetMs: -5 * 3_600_000,
}
const german: Locale = {
  language: 'de',
  country: 'DE',
  display: 'German (Germany)',
  timeZone: 'Europe/Berlin',
  offsetMs: 3_600_000,
}
const british: Locale = {
  language: 'en',
  country: 'GB',
  display: 'English (United Kingdom)',
  timeZone: 'Europe/London',
  offsetMs: 0,
}
const server: Locale = { ...american, timeZone: 'Etc/UTC', offsetMs: 0 }

export interface Person {
  readonly username: string
  readonly machine: Machine
}

function person(
  username: string,
  host: string,
  address: string,
  os: OperatingSystem,
  jvm: Jvm,
  cores: number,
  locale: Locale,
): Person {
  return {
    username,
    machine: {
      publicHostname: host,
      localHostname: host.split('.')[0] ?? host,
      ipAddresses: [address],
      os,
      cores,
      jvm,
      maxHeap: (cores > 8 ? 4 : 2) * gibibyte,
      locale,
    },
  }
}

/** The developers, each with a laptop. */
export const people: readonly Person[] = [
  person('akira', 'akira-mbp.berlin.acme.example', '10.20.4.11', mac, temurin21, 12, german),
  person('amelie', 'amelie-mbp.berlin.acme.example', '10.20.4.17', mac, temurin21, 10, german),
  person('ben', 'wks-0412.boston.acme.example', '10.40.1.52', windows, temurin21, 16, american),
  person('carla', 'carla-mbp.boston.acme.example', '10.40.1.61', mac, corretto25, 14, american),
  person('chidi', 'chidi-mbp.london.acme.example', '10.30.2.20', mac, temurin21, 12, british),
  person('dana', 'dana-x1.berlin.acme.example', '10.20.4.33', ubuntu, temurin21, 16, german),
  person('elif', 'elif-mbp.berlin.acme.example', '10.20.4.35', mac, temurin17, 8, german),
  person('fabio', 'fabio-mbp.london.acme.example', '10.30.2.24', olderMac, temurin17, 8, british),
  person('grace', 'grace-mbp.boston.acme.example', '10.40.1.70', mac, temurin21, 12, american),
  person('henrik', 'henrik-t14.berlin.acme.example', '10.20.4.41', ubuntu, temurin21, 12, german),
  person('ines', 'ines-mbp.london.acme.example', '10.30.2.31', mac, corretto25, 14, british),
  person('jamal', 'wks-0431.boston.acme.example', '10.40.1.83', windows, temurin21, 12, american),
  person('kaja', 'kaja-mbp.berlin.acme.example', '10.20.4.52', mac, temurin21, 10, german),
  person('leon', 'leon-mbp.berlin.acme.example', '10.20.4.58', olderMac, temurin17, 8, german),
  person('mei', 'mei-mbp.boston.acme.example', '10.40.1.91', mac, temurin21, 14, american),
  person('noor', 'noor-x1.london.acme.example', '10.30.2.44', ubuntu, temurin21, 16, british),
  person('oskar', 'oskar-mbp.berlin.acme.example', '10.20.4.66', mac, temurin21, 12, german),
  person('priya', 'priya-mbp.london.acme.example', '10.30.2.47', mac, corretto25, 12, british),
]

/** A group of build agents that take jobs in turn. */
export interface AgentPool {
  readonly username: string
  readonly size: number
  /** The agent with the given number, from 1 on. */
  readonly agent: (number: number) => Machine
}

function pool(
  username: string,
  size: number,
  name: (number: number) => string,
  subnet: string,
  machine: Pick<Machine, 'os' | 'cores' | 'jvm' | 'maxHeap'>,
  named: boolean,
): AgentPool {
  return {
    username,
    size,
    agent: (number) => ({
      ...machine,
      publicHostname: `${name(number)}.ci.acme.example`,
      localHostname: named ? name(number) : null,
      ipAddresses: [`${subnet}.${10 + number}`, '172.17.0.1'],
      locale: server,
    }),
  }
}

/** The build agents, by the system that gives them work. */
export const agentPools = {
  'GitHub Actions': pool(
    'runner',
    24,
    (number) => `linux-large-${String(number).padStart(2, '0')}`,
    '10.60.1',
    { os: ubuntu, cores: 8, jvm: temurin21, maxHeap: 6 * gibibyte },
    false,
  ),
  Jenkins: pool(
    'jenkins',
    10,
    (number) => `agent${number}`,
    '10.60.2',
    { os: ubuntu, cores: 16, jvm: temurin17, maxHeap: 4 * gibibyte },
    true,
  ),
  GitLab: pool(
    'gitlab-runner',
    12,
    (number) => `runner-arm-${String(number).padStart(2, '0')}`,
    '10.60.3',
    { os: graviton, cores: 8, jvm: corretto25, maxHeap: 4 * gibibyte },
    true,
  ),
} as const
