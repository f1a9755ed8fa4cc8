import { Button, Group, Popover } from '@mantine/core'
import { memo, type ReactElement, type RefObject, useId, useMemo, useRef, useState } from 'react'
import { labelCounts } from '../../../policy/policy-filter.ts'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { useKeys } from '../../ui/keys.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { byWeight, labelWords, offeredLabels, statusTones, statusWords } from './policy-words.ts'
import {
  type ChangeScanAddress,
  type Grouping,
  isNarrowed,
  readScanAddress,
  type ScanAddress,
  statuses,
  toggled,
  toggledLabel,
} from './scan-address.ts'
import css from './scan-page.module.css'
import chipsCss from '../../ui/chips.module.css'

/** More menus than these leave no room for the policies. */
const labelsOffered = 12

/** What the policies are narrowed to, and put together by. All of it is in the address. */
export const ScanFilters = memo(function ScanFilters({
  groups,
  shown,
  isSearching,
  waived,
  address,
  isCompared,
  onChange,
}: {
  groups: readonly PolicyGroup[]
  /** How many policies are shown; undefined before any are. */
  shown: number | undefined
  /** What is shown is not yet what the address says. */
  isSearching: boolean
  /** How many of all policies are waived. */
  waived: number
  address: ScanAddress
  isCompared: boolean
  onChange: ChangeScanAddress
}): ReactElement {
  const search = useRef<HTMLInputElement>(null)
  const groupingId = useId()
  const labels = useMemo(() => [...labelCounts(groups)], [groups])
  const words = useMemo(() => labelWords(labels.map(([name]) => name)), [labels])
  const inUse = new Set(address.labels.map(([name]) => name))
  if (address.by.startsWith('label:')) inUse.add(address.by.slice('label:'.length))
  const offered = offeredLabels(labels, inUse, labelsOffered)
  const kinds = useMemo(() => counted(groups.map(({ kind }) => kind)), [groups])
  useKeys('Policy scan', [
    { keys: ['/'], label: 'Search the policies', run: () => search.current?.focus() },
  ])
  return (
    <Group gap={8} role="search" aria-label="Policies">
      <div role="group" aria-label="Status" className={chipsCss.chips}>
        {statuses.map((status) => {
          const count = groups.filter((group) => group.status === status).length
          const isChosen = address.statuses.includes(status)
          return count === 0 && !isChosen ? null : (
            <button
              key={status}
              type="button"
              className={chipsCss.chip}
              aria-pressed={isChosen}
              onClick={() => {
                onChange({ statuses: toggled(address.statuses, status) })
              }}
            >
              <StatusShape tone={statusTones[status]} />
              <span className={chipsCss.count}>{countText(count)}</span> {statusWords[status]}
            </button>
          )
        })}
        {(waived > 0 || address.isWaived) && (
          <button
            type="button"
            className={chipsCss.chip}
            aria-pressed={address.isWaived}
            onClick={() => {
              onChange({ isWaived: !address.isWaived })
            }}
          >
            <StatusShape tone="waiting" />
            <span className={chipsCss.count}>{countText(waived)}</span> waived
          </button>
        )}
      </div>
      {offered.map(([name, values]) => (
        <FilterMenu
          key={name}
          label={words.get(name) ?? name}
          values={[...values].sort(([a], [b]) => byWeight(a, b))}
          chosen={address.labels.flatMap(([other, value]) => (other === name ? [value] : []))}
          onToggle={(value) => {
            onChange(toggledLabel(address, name, value))
          }}
        />
      ))}
      {labels.length > offered.length && (
        <span title="Search for their words, or press them at a policy">
          and {countOf(labels.length - offered.length, 'more label')}
        </span>
      )}
      <FilterMenu
        label="kind"
        values={kinds}
        chosen={address.kinds}
        onToggle={(kind) => {
          onChange({ kinds: toggled(address.kinds, kind) })
        }}
      />
      <PolicySearch
        field={search}
        text={address.text}
        isSearching={isSearching}
        onSearch={(text) => {
          onChange({ text }, true)
        }}
      />
      <span className={css.grouping}>
        <label htmlFor={groupingId}>Group by</label>
        <select
          id={groupingId}
          value={address.by}
          onChange={(event) => {
            const by = readScanAddress(new URLSearchParams({ by: event.currentTarget.value })).by
            onChange({ by })
          }}
        >
          <option value="status">status</option>
          {(isCompared || address.by === 'change') && <option value="change">change</option>}
          <option value="kind">kind</option>
          {offered.map(([name]) => (
            <option key={name} value={`label:${name}` satisfies Grouping}>
              {words.get(name)}
            </option>
          ))}
        </select>
      </span>
      {isNarrowed(address) && (
        <span className={css.left}>
          <span role="status">
            {shown !== undefined &&
              `${countText(shown)} of ${countOf(groups.length, 'policy', 'policies')} shown`}
          </span>
          <button
            type="button"
            className={css.clear}
            onClick={() => {
              onChange({ statuses: [], kinds: [], labels: [], text: '', isWaived: false })
            }}
          >
            Show all
          </button>
        </span>
      )}
    </Group>
  )
})

function counted(values: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Values of one kind, of which some are chosen; the button says which. */
function FilterMenu({
  label,
  values,
  chosen,
  onToggle,
}: {
  label: string
  /** With how many policies have them. */
  values: readonly (readonly [value: string, count: number])[]
  chosen: readonly string[]
  onToggle: (value: string) => void
}): ReactElement {
  const [isOpen, setOpen] = useState(false)
  // What is chosen stays there to be let go of, also where no policy has it.
  const gone = chosen.filter((value) => !values.some(([other]) => other === value))
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width={240}
      shadow="sm"
      trapFocus
      returnFocus
      portalProps={{ target: '#main' }}
    >
      <Popover.Target>
        <Button
          variant="default"
          data-chosen={chosen.length > 0}
          onClick={() => {
            setOpen(!isOpen)
          }}
        >
          {chosen.length === 0 ? label : `${label}: ${chosen.map(nameOf).join(', ')}`}
          <span className={css.caret} aria-hidden="true" />
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <ul className={css.scanFiltersList}>
          {[...values, ...gone.map((value) => [value, 0] as const)].map(([value, count]) => (
            <li key={value}>
              {/* A native box would jump back, as the address follows a moment later. */}
              <button
                type="button"
                role="checkbox"
                aria-checked={chosen.includes(value)}
                className={css.scanFiltersChoice}
                onClick={() => {
                  onToggle(value)
                }}
              >
                <svg viewBox="0 0 16 16" aria-hidden="true" className={css.box}>
                  <path d="M3 8.5 6.5 12 13 4.5" />
                </svg>
                <span>{nameOf(value)}</span>
                <span className={css.scanFiltersCount}>{countText(count)}</span>
              </button>
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  )
}

function nameOf(value: string): string {
  return value === '' ? 'none' : value
}

/** A search as it is typed; the address, which everything else follows, comes a moment later. */
function PolicySearch({
  field,
  text,
  isSearching,
  onSearch,
}: {
  field: RefObject<HTMLInputElement | null>
  text: string
  /** What is shown is not yet what was searched for. */
  isSearching: boolean
  onSearch: (text: string) => void
}): ReactElement {
  const [typed, setTyped] = useState(text)
  const [before, setBefore] = useState(text)
  /** Typed here, and not yet in the address. */
  const [underWay, setUnderWay] = useState<readonly string[]>([])
  if (text !== before) {
    setBefore(text)
    const at = underWay.indexOf(text)
    setUnderWay(at === -1 ? [] : underWay.slice(at + 1))
    // What was not typed here is a step back, or a link.
    if (at === -1) setTyped(text)
  }
  return (
    <span className={css.field}>
      <input
        ref={field}
        type="search"
        className={css.search}
        aria-label="Search the policies"
        placeholder="Search policies and details"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          const { value } = event.currentTarget
          setTyped(value)
          setUnderWay([...underWay, value])
          onSearch(value)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      {isSearching && <span className={css.searching}>Searching…</span>}
    </span>
  )
}
