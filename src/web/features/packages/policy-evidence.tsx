import { Button, Stack, Text } from '@mantine/core'
import { createContext, memo, type ReactElement, useContext, useMemo, useState } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import {
  type DependencyScore,
  type DetailField,
  detailsText,
  resultDetails,
  scoreText,
} from '../../../policy/result-details.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { PolicyResult } from '../../../protocol/policy-result.ts'
import { shortText } from '../../../protocol/untrusted-text.ts'
import { AttestationLink, SourceLinks } from '../../domain/build-table/source-links.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExternalLink, ExternalPlace } from '../../ui/external-link.tsx'
import { safeLink } from '../../../attestation/decode/visible-text.ts'
import { usePrinting } from '../../ui/printing.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { IdText } from '../../ui/text.tsx'
import { EvidenceSignature } from './evidence-signature.tsx'
import { capitalized, statusTones, statusWords, unknownWord } from './policy-words.ts'
import { statuses } from './scan-address.ts'
import css from './scan-page.module.css'

const drawnAtFirst = 10
/** Results of one policy on paper; a thousand pages prove no more, and the evidence bundle has all. */
export const mostOnPaper = 500

/** What a policy says of each attestation, what was searched for and the failing ones first. */
export function PolicyEvidence({ group }: { group: PolicyGroup }): ReactElement {
  const [drawnOnScreen, setDrawn] = useState(drawnAtFirst)
  const drawn = usePrinting() ? Math.max(drawnOnScreen, mostOnPaper) : drawnOnScreen
  const { results } = group
  const text = useContext(SearchedTextContext)
  const shown = useMemo(() => firstResults(results, drawn, text), [results, drawn, text])
  return (
    <div>
      <Text component="h3" fw={600} mb={4}>
        Evidence
      </Text>
      <ul className={css.list}>
        {/* Results have no name of their own, and stand where they stand. */}
        {shown.map((result, index) => (
          <Evidence key={index} result={result} />
        ))}
      </ul>
      {results.length > drawn && (
        <ShowMore
          left={results.length - drawn}
          noun="result"
          of=" of this policy"
          onMore={() => {
            setDrawn(drawn + 100)
          }}
        />
      )}
    </div>
  )
}

const Evidence = memo(function Evidence({ result }: { result: PolicyResult }): ReactElement {
  return (
    <li className={css.result}>
      <StatusMark tone={statusTones[result.status]} word={wordOf(result)} />
      <div className={css.details}>
        <DetailsView details={result.details} />
      </div>
      <EvidenceLinks result={result} />
    </li>
  )
})

function wordOf({ status, statusText }: PolicyResult): string {
  return status === 'unknown' ? unknownWord(statusText) : statusWords[status]
}

/** More of it is nothing to read, and is in the export. */
const longestJson = 20_000

/** What a policy found, in words by its shape. */
function DetailsView({ details }: { details: unknown }): ReactElement | null {
  const read = resultDetails(details)
  switch (read.shape) {
    case 'none':
      return null
    case 'uris':
      return read.uris.length === 0 ? (
        <Text span inherit c="dimmed">
          no addresses
        </Text>
      ) : (
        <ul className={css.list} aria-label="Addresses">
          {read.uris.map((uri, index) => (
            <li key={index}>
              <UriText uri={uri} />
            </li>
          ))}
        </ul>
      )
    case 'key-ids':
      return (
        <ul className={css.list} aria-label="Keys">
          {read.keyIds.map((keyId, index) => (
            <li key={index} data-keyid={keyId}>
              key&nbsp;
              <IdText id={keyId} />
              <CopyButton text={keyId} what={`key id ${keyId}`} />
            </li>
          ))}
        </ul>
      )
    case 'vulnerable-package':
      return (
        <>
          Vulnerable package: <code>{read.purl}</code>
          {read.predicateType !== null && (
            <Text component="div" inherit c="dimmed">
              found in {read.predicateType}
            </Text>
          )}
        </>
      )
    case 'message':
      return <>{read.message}</>
    case 'build-tool':
      return (
        <>
          Build tool: <code>{read.buildTool}</code>
        </>
      )
    case 'toolchains':
      return (
        <ul className={css.list} aria-label="JDKs">
          {read.toolchains.map((toolchain, index) => (
            <li key={index}>JDK {toolchain}</li>
          ))}
        </ul>
      )
    case 'score':
      return <ScoreView score={read.score} />
    case 'other':
      return <FieldsView fields={read.fields} details={details} />
  }
}

const overdueAtFirst = 20

/** A scoring of dependencies: how it came out, by category, and what is overdue. */
function ScoreView({ score }: { score: DependencyScore }): ReactElement {
  const { categories, tier, nextTier, overdue } = score
  return (
    <>
      <div>
        {scoreText(score)}
        {tier !== null && `, tier ${tier}`}
        {nextTier !== null && `, ${nextTier.pointsNeeded} more for ${nextTier.name}`}
      </div>
      {categories.map(({ name, score: points, compliant, total }) => (
        <Text key={name} component="div" inherit c="dimmed">
          {capitalized(name.toLowerCase().replaceAll('_', ' '))}: {points} of 100,{' '}
          {countText(compliant)} of {countText(total)} in time
        </Text>
      ))}
      {overdue.length > 0 && (
        <>
          <div>Overdue:</div>
          <ul className={css.list} aria-label="Overdue">
            {overdue.slice(0, overdueAtFirst).map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
            {overdue.length > overdueAtFirst && (
              <li>and {countText(overdue.length - overdueAtFirst)} more</li>
            )}
          </ul>
        </>
      )}
    </>
  )
}

/** Details of a shape that nobody has seen before, field by field; what came is below. */
function FieldsView({
  fields,
  details,
}: {
  fields: readonly DetailField[]
  details: unknown
}): ReactElement {
  const json = JSON.stringify(details, null, 2)
  return (
    <>
      {fields.map(({ name, text }, index) => (
        <div key={index}>
          {name !== '' && (
            <Text span inherit c="dimmed">
              {name}:{' '}
            </Text>
          )}
          {text}
        </div>
      ))}
      <details>
        <summary>JSON</summary>
        <pre tabIndex={0} aria-label="Details as JSON">
          {shortText(json, longestJson)}
        </pre>
      </details>
    </>
  )
}

function UriText({ uri }: { uri: string }): ReactElement {
  const leads = safeLink(uri)
  return leads === undefined ? (
    <code>{uri}</code>
  ) : (
    <ExternalLink href={leads.href} host={leads.host} text={leads.href} />
  )
}

/** Where the evidence of a result is: the attestation, the build it is from, and their pages. */
function EvidenceLinks({ result }: { result: PolicyResult }): ReactElement {
  const { attestationUri, sourcedFromUri } = result
  if (attestationUri === null && sourcedFromUri === null) {
    return <Text c="dimmed">No attestation named</Text>
  }
  return (
    <Stack gap={2} align="flex-start" miw={0}>
      {attestationUri !== null && (
        <>
          <AttestationLink
            uri={attestationUri}
            otherwise={<ExternalPlace uri={attestationUri} text="Attestation" />}
          />
          <EvidenceSignature uri={attestationUri} />
        </>
      )}
      {sourcedFromUri !== null && <SourceLinks uri={sourcedFromUri} />}
    </Stack>
  )
}

/** What policies are searched for; it comes to their evidence past the rows, which stay as they are. */
export const SearchedTextContext = createContext('')

/** Draws more of a list; on paper it says how much is missing. */
export function ShowMore({
  left,
  noun,
  plural = `${noun}s`,
  of = '',
  onMore,
}: {
  left: number
  noun: string
  plural?: string
  of?: string
  onMore: () => void
}): ReactElement {
  return (
    <>
      <Button variant="default" onClick={onMore}>
        Show more: {countOf(left, noun, plural)} left
      </Button>
      <p data-paper-only>
        Not printed: {countOf(left, `more ${noun}`, `more ${plural}`)}
        {of}.
      </p>
    </>
  )
}

/** A millisecond or two of work; of a policy with more results than that, the worst are looked through. */
const mostLookedThrough = 1000

/**
 * The first `most` results of a policy that was found by `text`: those that have one of its words in
 * front, and among them, as among the others, the failing ones.
 */
export function firstResults(
  results: readonly PolicyResult[],
  most: number,
  text: string,
): readonly PolicyResult[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return worstResults(results, most)
  const looked = worstResults(results, Math.max(most, mostLookedThrough))
  const has = looked.map(({ details }) => {
    const all = detailsText(details).toLowerCase()
    return words.some((word) => all.includes(word))
  })
  const found = looked.filter((_, index) => has[index])
  const others = looked.filter((_, index) => !has[index])
  return [...found, ...others].slice(0, most)
}

/** The first `most` results with the failing ones in front; of fifty thousand, none is sorted. */
export function worstResults(
  results: readonly PolicyResult[],
  most: number,
): readonly PolicyResult[] {
  const found: PolicyResult[] = []
  for (const wanted of statuses) {
    for (const result of results) {
      if (found.length === most) return found
      if (result.status === wanted) found.push(result)
    }
  }
  return found
}
