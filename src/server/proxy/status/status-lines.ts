import { countOf } from '../../../protocol/count.ts'
import { credentialText } from '../../../protocol/credential-state.ts'
import {
  type BuildServerStatus,
  type ServerStatus,
  statusHeadline,
  type StatusReport,
} from '../../../protocol/status-report.ts'
import { spanText } from './server-status.ts'

/** The whole report for a terminal: a line for each part, details below it, the conclusion last. */
export function statusLines(report: StatusReport): string[] {
  const { buildServer, policyService, database, liveLog, alerts, people, product } = report
  const isDemo = buildServer.kind === 'none' && policyService.kind === 'none'
  const demo = isDemo ? ' Without a server, Sightline shows demo data.' : ''
  return [
    ...serverLines('Build server', buildServer, report.at),
    ...serverLines('Policy service', policyService, report.at),
    ...(database === null
      ? []
      : [
          lineOf(
            'Database',
            [
              database.message,
              ...(database.version === null ? [] : [`${database.version}.`]),
              ...(database.sizeBytes === null ? [] : [`${sizeText(database.sizeBytes)}.`]),
              ...database.notes,
            ].join(' '),
          ),
        ]),
    ...(liveLog === null ? [] : [lineOf('Live log', liveLog.message)]),
    ...(alerts === null ? [] : [lineOf('Alerts', alerts.message)]),
    ...(people === null ? [] : [lineOf('Sign-in', people.message)]),
    ...product.warnings.map((warning) => lineOf('Configuration', warning)),
    ...report.deprecated.map(({ server, endpoint, until }) =>
      lineOf(
        'Deprecated',
        `${endpoint} of the ${server}${until === null ? '' : `, removed on ${new Date(until).toISOString().slice(0, 10)}`}.`,
      ),
    ),
    ...(report.losses.count === 0
      ? []
      : [
          lineOf(
            'Unreadable',
            countOf(report.losses.count, 'field or message', 'fields and messages'),
          ),
        ]),
    lineOf('Status', `${statusHeadline(report).message}${demo}`),
  ]
}

/** What a terminal says of one server, in one line. */
export function serverLine(
  name: string,
  { address, health, message, notes }: ServerStatus,
): string {
  const sentence = health === 'ok' ? message.charAt(0).toLowerCase() + message.slice(1) : message
  return lineOf(address === null ? name : `${name} ${address}`, [sentence, ...notes].join(' '))
}

function serverLines(
  name: string,
  server: ServerStatus | BuildServerStatus,
  now: number,
): string[] {
  const { health, credential, permissions, latency, clockSkewMs } = server
  const line = serverLine(name, server)
  if (health === 'off') return [line]
  const known = permissions.filter(({ state }) => state !== 'unknown')
  return [
    line,
    ...(credential === null ? [] : [`  ${lineOf('Credential', credentialText(credential, now))}`]),
    ...known.map(
      ({ name: permission, state, purpose }) =>
        `  ${lineOf('Permission', `${permission} is ${state} (for ${purpose}).`)}`,
    ),
    ...(latency === null
      ? []
      : [`  ${lineOf('Latency', `${latency.medianMs} ms (slowest ${latency.slowestMs} ms).`)}`]),
    ...(clockSkewMs === null ? [] : [`  ${lineOf('Clock', clockText(clockSkewMs))}`]),
  ]
}

function clockText(skewMs: number): string {
  if (Math.abs(skewMs) < 1000) return "agrees with this machine's."
  return `${spanText(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's.`
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** One line, whatever a server puts into its texts: a terminal obeys control characters. */
function lineOf(name: string, sentence: string): string {
  return `${name}: ${sentence}`.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').slice(0, 600)
}
