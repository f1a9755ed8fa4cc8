import type { ReactElement, ReactNode } from 'react'
import { Link } from 'react-router'
import type { Facts } from '../../../protocol/facts.ts'
import type { FeedRow } from '../../data/live/feed-state.ts'
import {
  BuildPanelFrame,
  PanelButton,
  PanelLink,
} from '../../domain/build-table/build-panel-frame.tsx'
import { durationText } from '../../ui/format.ts'
import { Fact } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { OutcomeMark } from './build-table.tsx'
import css from './feed.module.css'
import type { Facet } from './filter.ts'

/** What the panel shows: a build, or only its id where the feed does not hold it. */
export interface BuildPanelProps {
  readonly buildId: string
  readonly row: FeedRow | undefined
  readonly skew: number
  /** Whether earlier builds are still coming in. */
  readonly isLoading: boolean
  /** The query of the address that narrows the feed to a value. */
  readonly narrowTo: (facet: Facet, value: string) => string
  readonly onCopyLink: () => void
  readonly onClose: () => void
}

/** All that is known of one build, beside the list. */
export function BuildPanel(props: BuildPanelProps): ReactElement {
  const { buildId, row, onCopyLink, onClose } = props
  return (
    <BuildPanelFrame
      buildId={buildId}
      className={css.details}
      onClose={onClose}
      actions={
        <>
          <PanelLink to={`/publish?builds=${buildId}`}>Publish</PanelLink>
          <PanelButton onClick={onCopyLink}>Copy link</PanelButton>
        </>
      }
    >
      {row === undefined ? <Missing isLoading={props.isLoading} /> : <Known {...props} row={row} />}
    </BuildPanelFrame>
  )
}

function Missing({ isLoading }: { isLoading: boolean }): ReactElement {
  return (
    <p className={css.missing}>
      {isLoading
        ? 'Looking up this build…'
        : "This build isn't in the feed. It may be too old, or its id may be wrong."}
    </p>
  )
}

function Known({
  row,
  skew,
  narrowTo,
}: Pick<BuildPanelProps, 'skew' | 'narrowTo'> & { row: FeedRow }): ReactElement {
  const { build, facts } = row
  const narrow = (facet: Facet, value: string | undefined): ReactNode =>
    value === undefined ? undefined : (
      <Link to={{ search: narrowTo(facet, value) }} title="Filter by this value">
        {value}
      </Link>
    )
  const startTime = facts?.startTime ?? undefined
  return (
    <>
      <p className={css.outcome}>
        <OutcomeMark row={row} />
        {endingText(facts)}
      </p>
      {facts === undefined && <p className={css.missing}>Loading more details…</p>}
      <dl className={css.facts}>
        <Fact name="Project">{narrow('project', facts?.project ?? undefined)}</Fact>
        <Fact name="Requested">{facts?.requested && <code>{facts.requested.join(' ')}</code>}</Fact>
        <Fact name="User">{narrow('user', facts?.user ?? undefined)}</Fact>
        <Fact name="Host">{facts?.hostname}</Fact>
        <Fact name="Started">
          {startTime !== undefined && <RelativeTime at={startTime} skew={skew} />}
        </Fact>
        <Fact name="Received">
          <RelativeTime at={build.timestamp} skew={skew} />
        </Fact>
        <Fact name="Tool">
          {narrow('tool', build.toolType)} {build.toolVersion}
        </Fact>
        <Fact name="Agent">{build.agentVersion}</Fact>
        <Fact name="Tags">
          {facts?.tags?.length ? (
            <ul className={css.tags}>
              {facts.tags.map((tag) => (
                <li key={tag}>{narrow('tag', tag)}</li>
              ))}
            </ul>
          ) : undefined}
        </Fact>
      </dl>
      <Section heading="Custom values" entries={facts?.values ?? []} />
      <Section
        heading={`Fields of ${build.toolType}`}
        entries={Object.entries(facts?.fields ?? {}).map(([name, value]) => ({
          // The heading names the tool already.
          name: name.replace(`${build.toolType}.`, ''),
          value: String(value ?? 'no value'),
        }))}
      />
    </>
  )
}

function Section({
  heading,
  entries,
}: {
  heading: string
  entries: readonly { readonly name: string; readonly value: string }[]
}): ReactElement | null {
  if (entries.length === 0) return null
  return (
    <>
      <h3 className={css.heading}>{heading}</h3>
      <dl className={css.facts}>
        {entries.map(({ name, value }, index) => (
          // Names may repeat.
          <Fact key={`${index} ${name}`} name={name}>
            <ValueText value={value} />
          </Fact>
        ))}
      </dl>
    </>
  )
}

/** What follows the outcome: " after 1 min 12 s, a check or test failed". */
function endingText(facts: Facts | undefined): string {
  const duration = facts?.durationMs ?? undefined
  const after = duration === undefined ? '' : ` after ${durationText(duration)}`
  if (facts?.outcome !== 'failed') return after
  if (facts.hasVerificationFailure === true) return `${after}, a check or test failed`
  return facts.hasNonVerificationFailure === true ? `${after}, but not in a check or test` : after
}

/** A custom value; an address of the web becomes a link, anything else stays text. */
function ValueText({ value }: { value: string }): ReactElement {
  if (!isWebAddress(value)) return <span>{value === '' ? '(empty)' : value}</span>
  return (
    <a href={value} target="_blank" rel="noreferrer">
      {value}
    </a>
  )
}

/** Whether a text may become a link: http and https only, so that no script can hide in it. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
}
