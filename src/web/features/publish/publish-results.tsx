import { Button, Flex, Group, Stack, Text } from '@mantine/core'
import { memo, type ReactElement, startTransition, useDeferredValue, useState } from 'react'
import { Link } from 'react-router'
import { countText } from '../../../protocol/count.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { PublishOutcome } from '../../../protocol/publish-answer.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import {
  isPublishing,
  type PublishQuestion,
  type PublishView,
} from '../../data/publish/publisher.ts'
import { AttestationLink, SourceLinks } from '../../domain/build-table/source-links.tsx'
import { packageLink } from '../../domain/package/package-links.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { ExternalLink } from '../../ui/external-link.tsx'
import { safeLink } from '../../../attestation/decode/visible-text.ts'
import { ProblemPanel } from '../../ui/problem.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Notice } from '../../ui/notice.tsx'
import { publishCaveats, refusalText } from './publish-text.ts'
import css from './publish.module.css'
import pageCss from '../../ui/page.module.css'

/** What came of a publication, as it comes, and where to go from it. */
export function PublishResults({
  view,
  question,
  onCancel,
  onClear,
}: {
  view: PublishView
  question: PublishQuestion
  onCancel: () => void
  onClear: () => void
}): ReactElement {
  const { state, outcomes, stored } = view
  const caveats = publishCaveats(view)
  return (
    <Flex component="section" direction="column" gap={12} aria-label="Results">
      {state.is === 'refused' && <ProblemPanel problem={refusalText(question, state.problem)} />}
      {caveats.length > 0 && (
        <Notice role="alert" testId="publish-notice">
          {caveats.map((caveat) => (
            <div key={caveat}>{caveat}</div>
          ))}
        </Notice>
      )}
      <Group gap="4px 16px">
        {isPublishing(state) ? (
          <>
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
            <Text span inherit c="dimmed">
              Stored attestations remain.
            </Text>
          </>
        ) : (
          <>
            {stored > 0 && <ScanLinks question={question} />}
            <Button variant="default" onClick={onClear}>
              Clear results
            </Button>
          </>
        )}
      </Group>
      {outcomes.length > 0 && <OutcomeList outcomes={outcomes} />}
    </Flex>
  )
}

/** What the package was published for: the scans that were evaluated on it before, or its page. */
function ScanLinks({ question }: { question: PublishQuestion }): ReactElement {
  const { packages = [] } = usePreferences()
  const path = packagePath(question.address)
  const before = packages.find(({ address }) => packagePath(address) === path)
  const scans = before?.scans.slice(0, 4) ?? []
  return (
    <Flex component="nav" wrap="wrap" align="center" gap="4px 16px" aria-label="From here">
      {scans.map((scan) => (
        <Link key={scan} to={packageLink(question.address, question, scan)}>
          Evaluate policy scan {scan}
        </Link>
      ))}
      <Link to={packageLink(question.address, question)}>
        Policy scans of {packageText(question.address)}
      </Link>
    </Flex>
  )
}

/** So many rows at first: on a phone a row is high, and the form stands below them. */
const rowsAtFirst = 30

/** So many with each wish for more. */
const rowsMore = 100

/** Refused ones are shown in any case, up to so many. */
const mostRefused = 500

/**
 * What became of each attestation, in the order in which the service sent it. Rows are drawn when
 * nothing else is to be done, so that a hundred that come at once keep nobody waiting.
 */
function OutcomeList({ outcomes }: { outcomes: readonly PublishOutcome[] }): ReactElement {
  return <Rows outcomes={useDeferredValue(outcomes, none)} />
}

const none: readonly PublishOutcome[] = []

const Rows = memo(function Rows({
  outcomes,
}: {
  outcomes: readonly PublishOutcome[]
}): ReactElement {
  const [wanted, setWanted] = useState(rowsAtFirst)
  const late = outcomes.slice(wanted)
  const refused = late.filter(({ stored }) => !stored).slice(0, mostRefused)
  const left = late.length - refused.length
  return (
    <div>
      <ol className={pageCss.box} aria-label="Attestations">
        {[...outcomes.slice(0, wanted), ...refused].map((outcome, index) => (
          <OutcomeRow key={index} outcome={outcome} />
        ))}
      </ol>
      {left > 0 && (
        <Flex component="p" wrap="wrap" align="center" gap="4px 12px" mt={8} c="dimmed">
          <span>{`and ${countText(left)} more.`}</span>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              startTransition(() => {
                setWanted(wanted + rowsMore)
              })
            }}
          >
            Show {countText(Math.min(left, rowsMore))} more
          </Button>
        </Flex>
      )}
    </div>
  )
})

/** One that is drawn already is not drawn again when others come. */
const OutcomeRow = memo(function OutcomeRow({
  outcome,
}: {
  outcome: PublishOutcome
}): ReactElement {
  const { stored, storeType, name, predicateType, message, sourcedFromUri } = outcome
  return (
    <li className={css.outcome} data-stored={stored}>
      <StatusMark tone={stored ? 'good' : 'bad'} word={stored ? 'stored' : 'rejected'} />
      <Text component="code" ff="monospace" fz="xs">
        {predicateType ?? 'no predicate type'}
      </Text>
      <span>{[storeType, name].filter(Boolean).join(' ') || 'no store name'}</span>
      <Stack gap={0} align="flex-start">
        <Place outcome={outcome} />
        {sourcedFromUri !== null && <SourceLinks uri={sourcedFromUri} />}
      </Stack>
      {message !== null && (
        <Text inherit className={css.message}>
          {stored ? '' : 'Store response: '}
          {message}
        </Text>
      )}
    </li>
  )
})

/** The page of the attestation where it has one here; else where the store is, as far as is shown. */
function Place({
  outcome: { stored, storeUri },
}: {
  outcome: PublishOutcome
}): ReactElement | null {
  if (storeUri === '') return null
  const leads = safeLink(storeUri)
  const place =
    leads === undefined ? (
      <code>{storeUri}</code>
    ) : (
      <ExternalLink
        href={leads.href}
        host={leads.host}
        text={stored ? 'In the store' : 'The store'}
      />
    )
  return stored ? <AttestationLink uri={storeUri} otherwise={place} /> : place
}
