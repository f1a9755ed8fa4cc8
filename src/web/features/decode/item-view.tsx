import { Button, Flex, Group, Stack, Text } from '@mantine/core'
import {
  type ReactElement,
  type ReactNode,
  type RefObject,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useIntersection } from '@mantine/hooks'
import { Link } from 'react-router'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import { otherPayloadType } from '../../../attestation/statement/match-subjects.ts'
import { explain, type Explanation } from '../../../attestation/explain.ts'
import type { AttestationRunner } from '../../data/attestation/attestation-runner.ts'
import type { Inspection } from '../../data/attestation/attestation-jobs.ts'
import { countText } from '../../../protocol/count.ts'
import { useKeys } from '../../ui/keys.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ErrorBoundary } from '../../ui/page.tsx'
import { CertificateTab } from './certificate-tab.tsx'
import {
  algorithmsFor,
  type Compared,
  type ComparedSubject,
  compareSubjects,
  hasDigest,
  readDigest,
  subjectLine,
} from './compared-digest.ts'
import { ComparePanel } from './compare-panel.tsx'
import { Findings, JobProgressBar, useInspection, useJob } from './inspection.tsx'
import css from './decode.module.css'
import { PayloadTab } from './payload-tab.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { saysFailure, saysSentence, subjectName } from './says.ts'
import { SaysTab } from './says-tab.tsx'
import { SignaturesTab, SignedTab } from './signatures-tab.tsx'
import { SignerActions, SubjectTools, VerdictPanel, VerdictStrip } from './verdict-panel.tsx'
import type { TrustedKeys } from '../../domain/attestation/trusted-keys.ts'
import { type Tab, tabs, type ViewAddressState } from './view-address.ts'
import { logWarning, signatureLine, signerLine } from './verdict-lines.ts'

const words: Readonly<Record<Tab, string>> = {
  says: 'What it says',
  signatures: 'Signatures',
  signed: 'What was signed',
  payload: 'Payload',
  certificate: 'Certificate',
}

/** One attestation: three verdicts, what it says, and everything that this rests on. */
export function ItemView({
  item,
  items,
  runner,
  trusted,
  state,
  known,
  file,
  onFile,
  onAddKey,
  tools,
}: {
  item: DecodedItem
  /** All that came with it, itself among them. */
  items: readonly DecodedItem[]
  runner: AttestationRunner
  trusted: TrustedKeys
  state: ViewAddressState
  /** What the page itself is about. */
  known: readonly Compared[]
  file: File | undefined
  onFile: (file: File) => void
  onAddKey: () => void
  tools: ReactNode
}): ReactElement {
  const { address } = state
  const { envelope, statement, content } = item
  const { job, inspection, checking } = useInspection(runner, item, trusted)
  const hash = useJob(
    runner,
    useMemo(
      () =>
        file === undefined
          ? undefined
          : ({ kind: 'hash', file, algorithms: algorithmsFor(item) } as const),
      [file, item],
    ),
  )
  const [isPanelOpen, openPanel] = useState(false)
  const isComparing = isPanelOpen || address.compare !== ''
  const [typedDigest, setTypedDigest] = useState<string>()
  const digest = readDigest(address.digest)
  const isComparable = useMemo(() => hasDigest(item), [item])
  const named = digest && `${digest.algorithm}:${digest.value}`
  const digests = hash.state === 'done' ? hash.result : undefined
  const compared = useMemo(() => {
    const asked = named === undefined ? undefined : readDigest(named)
    const what = address.digest === typedDigest ? 'your digest' : 'the digest in the link'
    return compareSubjects(item, [
      ...known,
      ...(file !== undefined && digests !== undefined
        ? [{ what: `the file ${file.name}`, digests }]
        : []),
      ...(asked === undefined ? [] : [{ what, digests: [asked] }]),
    ])
  }, [item, known, file, digests, named, address.digest, typedDigest])
  const explanation = useMemo(
    () =>
      statement !== undefined && content.kind === 'json'
        ? explain(content.tree, statement)
        : undefined,
    [statement, content],
  )
  const verdicts = {
    signature: signatureLine(item, checking),
    signer: signerLine(item, checking, address.needed),
    subject: subjectLine(item, compared),
  }
  // The verdicts first: a large attestation takes a moment more to be laid out.
  const arePartsDue = useDeferredValue(true, false)
  useTabKeys(state)
  const tabRow = useCurrentTab(address.tab)
  const otherType = otherPayloadType(envelope)
  // Of many subjects the one that the reader holds is meant, not the first.
  const [sameAt] = compared.flatMap(({ match }) => (match.kind === 'equal' ? match.subjects : []))
  const isTrusted =
    verdicts.signature.tone === 'good' &&
    verdicts.signer.tone === 'good' &&
    verdicts.subject.tone !== 'bad'
  const says =
    otherType === undefined && explanation && statement !== undefined && content.kind === 'json'
      ? saysSentence(explanation, subjectName(content.tree, statement, sameAt), isTrusted)
      : undefined
  const warning = logWarning(inspection?.logFits ?? [])
  const { ref: verdictsRef, entry: verdictsInSight } = useIntersection()

  return (
    <Flex component="article" direction="column" gap={12} aria-label="Attestation">
      {warning !== undefined && <Notice tone="bad">{warning}</Notice>}
      <VerdictPanel
        ref={verdictsRef}
        verdicts={verdicts}
        signerAction={
          <SignerActions
            envelope={envelope}
            isSettled={verdicts.signer.tone === 'good'}
            needed={address.needed}
            onNeeded={(needed) => {
              state.change({ needed })
            }}
            onAddKey={onAddKey}
          />
        }
      />
      <JobProgressBar job={job} />
      {(isComparable || address.digest !== '') && (
        <SubjectTools
          key={address.digest}
          digest={address.digest}
          onDigest={(next) => {
            setTypedDigest(next)
            state.change({ digest: next })
          }}
          onFile={onFile}
        />
      )}
      <JobProgressBar job={hash} />
      {hash.state === 'failed' && <p role="alert">{hash.reason}</p>}
      <Text fz="lg" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {says !== undefined && explanation && saysFailure(explanation) && (
          <Text span inherit c="var(--bad-ink)">
            <StatusShape tone="bad" />{' '}
          </Text>
        )}
        {says ??
          (otherType === undefined
            ? "The payload isn't an in-toto statement."
            : `${otherType} A signature says only that these bytes were signed.`)}
      </Text>
      <Group gap="4px 8px">
        {tools}
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isComparing}
          onClick={() => {
            openPanel(!isComparing)
            if (isComparing) state.change({ compare: '' })
          }}
        >
          Compare with another…
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          component={Link}
          to={state.linkTo({ tab: 'signed' })}
        >
          Check by hand
        </Button>
      </Group>
      <Findings findings={item.findings} label="Remarks" />
      {isComparing && (
        <ComparePanel
          {...{ item, items, runner, trusted, address }}
          onOther={(compare) => {
            openPanel(true)
            state.change({ compare })
          }}
        />
      )}
      <Group gap="0 16px" className={css.bar}>
        <nav ref={tabRow} className={css.tabs} aria-label="Parts of the attestation">
          {tabs.map((tab) => (
            <Link
              key={tab}
              to={state.linkTo({ tab })}
              preventScrollReset
              aria-current={tab === address.tab ? 'page' : undefined}
            >
              {tab === 'signatures'
                ? `${words[tab]} (${countText(envelope?.signatures.length ?? 0)})`
                : words[tab]}
            </Link>
          ))}
        </nav>
        <VerdictStrip verdicts={verdicts} isHidden={verdictsInSight?.isIntersecting !== false} />
      </Group>
      <Stack gap={12}>
        <ErrorBoundary
          of={address.tab}
          fallback={(error) => (
            <Notice tone="bad" role="alert">
              Can't show this part; the verdicts above don't depend on it. {String(error)}
            </Notice>
          )}
        >
          {arePartsDue && <Part {...{ item, explanation, compared, inspection, state }} />}
        </ErrorBoundary>
      </Stack>
    </Flex>
  )
}

function Part({
  item,
  explanation,
  compared,
  inspection,
  state,
}: {
  item: DecodedItem
  explanation: Explanation | undefined
  compared: readonly ComparedSubject[]
  inspection: Inspection | undefined
  state: ViewAddressState
}): ReactElement {
  const { envelope } = item
  switch (state.address.tab) {
    case 'says':
      return <SaysTab item={item} explanation={explanation} compared={compared} />
    case 'signatures':
      return <SignaturesTab envelope={envelope} inspection={inspection} />
    case 'signed':
      return <SignedTab item={item} inspection={inspection} />
    case 'payload':
      return <PayloadTab item={item} state={state} />
    case 'certificate':
      return <CertificateTab envelope={envelope} inspection={inspection} />
  }
}

function useTabKeys({ change }: ViewAddressState): void {
  useKeys(
    'Attestation',
    tabs.map((tab, at) => ({
      keys: [String(at + 1)] as const,
      label: words[tab],
      run: () => {
        change({ tab })
      },
    })),
  )
}

/** On a narrow screen the row of tabs scrolls: the current one is brought into sight. */
function useCurrentTab(tab: Tab): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    // The first one is in sight; asking would cost a layout of the whole page.
    if (tab === tabs[0]) return
    const current = row.current?.querySelector<HTMLElement>('[aria-current]')
    if (row.current && current) row.current.scrollLeft = current.offsetLeft - 40
  }, [tab])
  return row
}
