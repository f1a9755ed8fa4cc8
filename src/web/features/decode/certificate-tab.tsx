import { Flex, Paper, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import type { Envelope } from '../../../attestation/decode/envelope.ts'
import {
  type CertificateIdentity,
  identityOf,
  validityAt,
} from '../../../attestation/keys/identity.ts'
import { threshold } from '../../../attestation/signatures/signature-verdict.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { countOf } from '../../../protocol/count.ts'
import type { KeylessResult } from '../../data/attestation/keyless.ts'
import type { Inspection } from '../../data/attestation/attestation-jobs.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { StatusMark, StatusShape, type StatusTone } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { certificatePem } from './trusted-keys.tsx'
import { NamedRows, PartButtons, Visible } from './tab-parts.tsx'
import { StrangerLink } from '../../ui/external-link.tsx'
import { fitWords, verifiesNothing } from './verdict-lines.ts'

/** Every certificate that came along, whom it names, and the log entries beside it. */
export function CertificateTab({
  envelope,
  inspection,
}: {
  envelope: Envelope | undefined
  inspection: Inspection | undefined
}): ReactElement {
  const certificates = certificatesOf(envelope)
  return (
    <>
      {certificates.length === 0 ? (
        <p>{noCertificate(inspection)}</p>
      ) : (
        <KeylessChecks keyless={inspection?.keyless} />
      )}
      {certificates.map((certificate, at) => (
        <Certificate
          key={certificate}
          certificate={certificate}
          number={at + 1}
          isForeign={isForeign(envelope, certificate)}
          verifiesNothing={verifiesNothing(certificate, inspection?.verdicts ?? [])}
        />
      ))}
      {envelope !== undefined && envelope.logEntries.length > 0 && (
        <LogEntries envelope={envelope} inspection={inspection} />
      )}
      {envelope !== undefined && envelope.timestamps.length > 0 && (
        <Text maw="80ch">
          {countOf(envelope.timestamps.length, 'signed timestamp')} included
          {inspection?.keyless === undefined && ', not checked'}.
        </Text>
      )}
    </>
  )
}

function noCertificate(inspection: Inspection | undefined): string {
  return threshold(inspection?.verdicts ?? []).isMet
    ? 'Not needed: the signer is trusted by its key.'
    : 'No certificate is included, so you must know whose key it is. Add the key to the trusted keys below.'
}

const keylessTones = { passed: 'good', failed: 'bad', 'not-checked': 'none' } as const

/** What was checked of a short-lived certificate and its log entry, and what was not. */
function KeylessChecks({ keyless }: { keyless: KeylessResult | undefined }): ReactElement {
  if (keyless === undefined) {
    return (
      <Text maw="80ch">
        The certificate isn't checked against its issuer: no trusted root is configured.
      </Text>
    )
  }
  return (
    <section aria-label="Checks of the certificate">
      <NamedRows
        rows={keyless.checks.map(({ name, state, detail }) => [
          name,
          <Flex key={name} gap={6} c={`var(--${keylessTones[state]}-ink)`}>
            <StatusShape tone={keylessTones[state]} />
            <span>{visibleText(detail)}</span>
          </Flex>,
        ])}
      />
    </section>
  )
}

function certificatesOf(envelope: Envelope | undefined): readonly string[] {
  if (envelope === undefined) return []
  const beside = envelope.signatures.flatMap(({ certificate, intermediates }) =>
    certificate === undefined ? intermediates : [certificate, ...intermediates],
  )
  return [...new Set([...envelope.certificates, ...beside])].slice(0, 50)
}

/** Whether a certificate stands beside a signature though the bundle has its own. */
function isForeign(envelope: Envelope | undefined, certificate: string): boolean {
  const own = envelope?.certificates ?? []
  return own.length > 0 && !own.includes(certificate)
}

function Certificate({
  certificate,
  number,
  isForeign,
  verifiesNothing: isIdle,
}: {
  certificate: string
  number: number
  isForeign: boolean
  verifiesNothing: boolean
}): ReactElement {
  const identity = identityOf(certificate)
  return (
    <Paper
      component="article"
      withBorder
      p={12}
      mb={8}
      bg="var(--surface-panel)"
      aria-label={`Certificate ${number}`}
    >
      <Flex component="header" wrap="wrap" align="center" gap="4px 12px">
        <strong>Certificate {number}</strong>
        {identity?.isAuthority === true && (
          <Text span inherit c="dimmed">
            of an authority
          </Text>
        )}
        {isForeign && (
          <StatusMark tone="waiting" word="beside a signature; not checked, counts for nothing" />
        )}
        {isIdle && !isForeign && identity?.isAuthority !== true && (
          <StatusMark tone="bad" word="its key verifies no signature here" />
        )}
        <PartButtons
          what={`certificate ${number}`}
          fileName={`certificate-${number}.pem`}
          content={() => certificatePem(certificate)}
          copied={() => certificatePem(certificate)}
        />
      </Flex>
      {identity === undefined ? (
        <p>This isn't a readable certificate.</p>
      ) : (
        <Identity identity={identity} />
      )}
    </Paper>
  )
}

const validities: Readonly<
  Record<ReturnType<typeof validityAt>, { readonly tone: StatusTone; readonly word: string }>
> = {
  valid: { tone: 'good', word: 'within its validity' },
  'not-yet-valid': { tone: 'waiting', word: 'not valid yet' },
  expired: { tone: 'none', word: 'expired; signatures made before remain valid' },
  unknown: { tone: 'waiting', word: 'unknown' },
}

function Identity({ identity }: { identity: CertificateIdentity }): ReactElement {
  const { zone } = usePreferences()
  const validity = useDerivedFromNow((now) => validityAt(identity, now))
  const time = (at: number | undefined): string =>
    at === undefined ? 'unreadable time' : instantText(at, zone)
  return (
    <NamedRows
      rows={[
        ...identity.names.map(
          ({ type, value }, at) =>
            [`Names ${type}${at === 0 ? '' : ` (${at + 1})`}`, linked(value)] as const,
        ),
        ['Identity issued by', identity.oidcIssuer && linked(identity.oidcIssuer)],
        ['Subject', identity.subject && visibleText(identity.subject)],
        ['Issuer', visibleText(identity.issuer)],
        [
          'Valid',
          <span key="valid">
            {time(identity.notBefore)} to {time(identity.notAfter)}{' '}
            <StatusMark {...validities[validity]} />
          </span>,
        ],
        ['Serial number', identity.serialNumber],
        ...identity.fulcio.map(
          ({ name, oid, value }) => [`${name} (${oid})`, linked(value)] as const,
        ),
      ]}
    />
  )
}

function linked(value: string): ReactElement {
  return (
    <StrangerLink address={value}>
      <Visible text={value} />
    </StrangerLink>
  )
}

function LogEntries({
  envelope,
  inspection,
}: {
  envelope: Envelope
  inspection: Inspection | undefined
}): ReactElement {
  const { zone } = usePreferences()
  return (
    <Flex component="section" direction="column" gap={8}>
      <Text component="h2" fw={600}>
        Transparency log entries
      </Text>
      {envelope.logEntries.map((entry, at) => {
        const fit = inspection?.logFits[at]
        const seconds = Number(entry.integratedTime)
        return (
          <NamedRows
            key={at}
            rows={[
              ['Entry', fit && <StatusMark key="fit" {...fitWords[fit]} />],
              ['Index', <Visible key="index" text={entry.logIndex} />],
              ['Log', <Visible key="log" text={entry.logId} />],
              ['Kind', <Visible key="kind" text={`${entry.kind} ${entry.version}`} />],
              [
                'Logged',
                Number.isFinite(seconds) && seconds > 0 && seconds < 1e11
                  ? instantText(seconds * 1000, zone)
                  : undefined,
              ],
            ]}
          />
        )
      })}
    </Flex>
  )
}
