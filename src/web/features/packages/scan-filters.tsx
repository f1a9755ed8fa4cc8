import { Button, Group, Loader, Menu, Text, TextInput } from '@mantine/core'
import { memo, type ReactElement, type RefObject, useMemo, useRef, useState } from 'react'
import { labelCounts } from '../../../policy/policy-filter.ts'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { byWeight } from '../../../policy/severity.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { type ChangeSearch, toggled } from '../../data/core/search-state.ts'
import { FoldedFilters } from '../../ui/folded-filters.tsx'
import { InlineSelect } from '../../ui/inline-select.tsx'
import { useKeys } from '../../ui/keys.tsx'
import { StatusShape, type StatusTone } from '../../ui/status-mark.tsx'
import { capitalized, labelWords, offeredLabels, statusTones, statusWords } from './policy-words.ts'
import {
  allPolicies,
  type Grouping,
  groupingParam,
  isNarrowed,
  type ScanAddress,
  statuses,
  toggledLabel,
} from './scan-address.ts'
import menuCss from '../../ui/menu-popover.module.css'
import css from './scan-page.module.css'

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
  onChange: ChangeSearch<ScanAddress>
}): ReactElement {
  const search = useRef<HTMLInputElement>(null)
  const labels = useMemo(() => [...labelCounts(groups)], [groups])
  const words = useMemo(() => labelWords(labels.map(([name]) => name)), [labels])
  const menuName = (name: string): string => {
    const word = words.get(name) ?? name
    return word === name ? name : capitalized(word)
  }
  const inUse = new Set(address.labels.map(([name]) => name))
  if (address.by.startsWith('label:')) inUse.add(address.by.slice('label:'.length))
  const offered = offeredLabels(labels, inUse, labelsOffered)
  const kinds = useMemo(() => counted(groups.map(({ kind }) => kind)), [groups])
  useKeys('Policy scan', [
    { keys: ['/'], label: 'Search policies', run: () => search.current?.focus() },
  ])
  return (
    <Group gap={8} role="search" aria-label="Policies">
      <Group gap={4} role="group" aria-label="Status">
        {statuses.map((status) => {
          const count = groups.filter((group) => group.status === status).length
          const isChosen = address.statuses.includes(status)
          return count === 0 && !isChosen ? null : (
            <FilterButton
              key={status}
              tone={statusTones[status]}
              count={count}
              label={statusWords[status]}
              isChosen={isChosen}
              onToggle={() => {
                onChange({ statuses: toggled(address.statuses, status) })
              }}
            />
          )
        })}
        {(waived > 0 || address.isWaived) && (
          <FilterButton
            tone="waiting"
            count={waived}
            label="waived"
            isChosen={address.isWaived}
            onToggle={() => {
              onChange({ isWaived: !address.isWaived })
            }}
          />
        )}
      </Group>
      <PolicySearch
        field={search}
        text={address.text}
        isSearching={isSearching}
        onSearch={(text) => {
          onChange({ text }, true)
        }}
      />
      <FoldedFilters
        label="Policies by label"
        active={address.labels.length + address.kinds.length}
      >
        {offered.map(([name, values]) => (
          <FilterMenu
            key={name}
            label={menuName(name)}
            values={[...values].sort(([a], [b]) => byWeight(a, b))}
            chosen={address.labels.flatMap(([other, value]) => (other === name ? [value] : []))}
            onToggle={(value) => {
              onChange(toggledLabel(address, name, value))
            }}
          />
        ))}
        {labels.length > offered.length && (
          <span title="Search for label values, or select them on a policy">
            and {countOf(labels.length - offered.length, 'more label')}
          </span>
        )}
        <FilterMenu
          label="Kind"
          values={kinds}
          chosen={address.kinds}
          onToggle={(kind) => {
            onChange({ kinds: toggled(address.kinds, kind) })
          }}
        />
        <InlineSelect
          label="Group by"
          value={address.by}
          onChange={(value) => {
            onChange({ by: groupingParam.read(new URLSearchParams({ by: value })) })
          }}
        >
          <option value="status">Status</option>
          {(isCompared || address.by === 'change') && <option value="change">Change</option>}
          <option value="kind">Kind</option>
          {offered.map(([name]) => (
            <option key={name} value={`label:${name}` satisfies Grouping}>
              {menuName(name)}
            </option>
          ))}
        </InlineSelect>
      </FoldedFilters>
      {isNarrowed(address) && (
        <Group gap={8}>
          <span role="status">
            {shown !== undefined &&
              `${countText(shown)} of ${countOf(groups.length, 'policy', 'policies')} shown`}
          </span>
          <Button
            variant="subtle"
            onClick={() => {
              onChange(allPolicies)
            }}
          >
            Show all
          </Button>
        </Group>
      )}
    </Group>
  )
})

function FilterButton({
  tone,
  count,
  label,
  isChosen,
  onToggle,
}: {
  tone: StatusTone
  count: number
  label: string
  isChosen: boolean
  onToggle: () => void
}): ReactElement {
  return (
    <Button
      variant={isChosen ? 'light' : 'default'}
      fw={400}
      aria-pressed={isChosen}
      leftSection={<StatusShape tone={tone} />}
      onClick={onToggle}
    >
      <strong>{countText(count)}</strong>&nbsp;{label}
    </Button>
  )
}

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
    <Menu opened={isOpen} onChange={setOpen} position="bottom-start">
      <Menu.Target>
        <Button
          variant={chosen.length === 0 ? 'default' : 'light'}
          rightSection={<span className={menuCss.caret} aria-hidden="true" />}
          fw={500}
          maw="100%"
        >
          {chosen.length === 0 ? label : `${label}: ${chosen.map(nameOf).join(', ')}`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label={label} mah="min(320px, 60vh)" style={{ overflow: 'auto' }}>
        {[...values, ...gone.map((value) => [value, 0] as const)].map(([value, count]) => (
          <Menu.CheckboxItem
            key={value}
            checked={chosen.includes(value)}
            rightSection={<Text c="dimmed">{countText(count)}</Text>}
            onChange={() => {
              onToggle(value)
            }}
          >
            {nameOf(value)}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
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
    <TextInput
      ref={field}
      type="search"
      flex="1 1 16rem"
      maw="28rem"
      aria-label="Search policies"
      placeholder="Search policies and details"
      spellCheck={false}
      rightSection={isSearching ? <Loader size={14} className={css.searching} /> : undefined}
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
  )
}
