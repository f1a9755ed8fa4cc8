import { memo, type ReactElement, useId, useMemo, useRef } from 'react'
import { labelCounts } from '../../../policy/policy-filter.ts'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { useKeys } from '../../ui/key-registry.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { FilterMenu } from './filter-menu.tsx'
import { byWeight, labelWords } from './label-words.ts'
import { offeredLabels } from './offered-labels.ts'
import { PolicySearch } from './policy-search.tsx'
import {
  type Grouping,
  isNarrowed,
  readScanAddress,
  type ScanAddress,
  statuses,
  toggled,
  toggledLabel,
} from './scan-address.ts'
import css from './scan-filters.module.css'
import { statusTones, statusWords } from './status-words.ts'
import type { ChangeScanAddress } from './use-scan-address.ts'

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
    <div className={css.filters} role="search" aria-label="Policies">
      <div role="group" aria-label="Status" className={css.chips}>
        {statuses.map((status) => {
          const count = groups.filter((group) => group.status === status).length
          const isChosen = address.statuses.includes(status)
          return count === 0 && !isChosen ? null : (
            <button
              key={status}
              type="button"
              className={css.chip}
              aria-pressed={isChosen}
              onClick={() => {
                onChange({ statuses: toggled(address.statuses, status) })
              }}
            >
              <StatusShape tone={statusTones[status]} />
              <span className={css.number}>{countText(count)}</span> {statusWords[status]}
            </button>
          )
        })}
        {(waived > 0 || address.isWaived) && (
          <button
            type="button"
            className={css.chip}
            aria-pressed={address.isWaived}
            onClick={() => {
              onChange({ isWaived: !address.isWaived })
            }}
          >
            <StatusShape tone="waiting" />
            <span className={css.number}>{countText(waived)}</span> waived
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
    </div>
  )
})

function counted(values: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}
