import { Button, CloseButton, Combobox, Text, useCombobox } from '@mantine/core'
import { type ReactElement, useMemo, useState } from 'react'
import { countText } from '../../../protocol/count.ts'
import { shortText } from '../../../protocol/untrusted-text.ts'
import type { TextEdit } from '../../../search/diagnostic.ts'
import { addTerm, type ChipTerm, removePart, termsOf } from '../../../search/edit.ts'
import { explain } from '../../../search/explain.ts'
import { findField } from '../../../search/fields/fields.ts'
import { parse } from '../../../search/parse.ts'
import type { Query } from '../../../search/tree.ts'
import { quoteValue } from '../../../search/values/text.ts'
import type { QueryAssistance } from './query-assistance.ts'
import css from './query-editor.module.css'

/** The query whose terms are shown, and where to send edits: `QueryEditorHandle.apply`. */
export interface QueryChipsProps {
  readonly text: string
  readonly onEdit: (edits: readonly TextEdit[]) => void
}

/** So many chips are shown until all are wanted: each key draws them anew. */
const mostChips = 20
/** The longest text of a chip, characters; the style cuts it sooner. */
const longest = 300

/** The terms of a query, each with a button that removes it, and a menu that adds one. */
export function QueryChips({ text, onEdit }: QueryChipsProps): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const query = useMemo(() => parse(text), [text])
  const terms = useMemo(() => termsOf(query), [query])
  const shown = isWhole ? terms : terms.slice(0, mostChips)
  const chips = shown.map((term) => ({ term, words: chipText(query, term) }))
  const more = terms.length - shown.length
  return (
    <div className={css.bar} role="group" aria-label="Parts of the query">
      {chips.map(({ term, words }, index) => (
        // Parts may be written twice.
        <span key={`${index} ${words}`} className={css.chip} data-kind={term.type}>
          <span className={css.words} title={words}>
            {words}
          </span>
          <CloseButton
            size="var(--control-height)"
            iconSize={14}
            radius="xl"
            aria-label={`Remove ${words}`}
            onClick={() => {
              onEdit(removePart(query, term))
            }}
          />
        </span>
      ))}
      {more > 0 && (
        <Button
          variant="subtle"
          radius="xl"
          fw={400}
          onClick={() => {
            setWhole(true)
          }}
        >
          {`and ${countText(more)} more`}
        </Button>
      )}
      <AddTermMenu
        onAdd={(term) => {
          onEdit(addTerm(query, term))
        }}
      />
    </div>
  )
}

/** The most frequent terms, up to the place where the value has to be written. */
const starts = [
  'project:',
  'buildOutcome:',
  'buildStartTime>',
  'tag:',
  'user:',
  'requested:',
  'value:',
  'buildTool:',
  'buildDuration>',
] as const

/** A button that opens the fields that are used most, and begins a term with the one chosen. */
function AddTermMenu({ onAdd }: { onAdd: (term: string) => void }): ReactElement {
  const menu = useCombobox({
    onDropdownClose: () => {
      menu.resetSelectedOption()
    },
  })
  return (
    <Combobox
      store={menu}
      position="bottom-start"
      width={300}
      shadow="sm"
      // Within the page for those who go from landmark to landmark.
      portalProps={{ target: '#main' }}
      onOptionSubmit={(term) => {
        menu.closeDropdown()
        onAdd(term)
      }}
    >
      <Combobox.Target targetType="button">
        <Button
          variant="subtle"
          radius="xl"
          fw={400}
          c="dimmed"
          onClick={() => {
            menu.toggleDropdown()
          }}
        >
          + add
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label="Fields">
          {starts.map((start) => {
            const name = start.replace(/\W$/, '')
            return (
              <Combobox.Option key={start} value={start} className={css.option}>
                <code>{name}</code>
                <span className={css.meaning}>{findField(name)?.meaning}</span>
              </Combobox.Option>
            )
          })}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

/** A part of a query as a chip shows it: "project: checkout", "not tag: CI", "(tag:a or tag:b)". */
export function chipText({ text }: Query, chip: ChipTerm): string {
  if (chip.type === 'other') return shortened(text.slice(chip.from, chip.to))
  const { negated, part } = chip
  const not = negated ? 'not ' : ''
  if (part.type === 'flag') return not + part.field.name
  const { symbol } = part.operator
  const value = shortened(text.slice(part.pattern.from, part.pattern.to))
  return `${not}${part.field.name}${symbol === ':' ? ':' : ` ${symbol}`} ${value}`
}

function shortened(text: string): string {
  return shortText(text, longest).replaceAll(/\s+/g, ' ')
}

/** Queries to begin with, in place of the parts of one that is not there yet; one press runs one. */
export function QueryExamples({
  assistance,
  onRun,
}: {
  assistance: QueryAssistance
  onRun: (query: string) => void
}): ReactElement {
  const examples = useMemo(() => examplesOf(assistance), [assistance])
  return (
    <div className={css.bar} role="group" aria-label="Examples">
      <Text span inherit c="dimmed">
        Try
      </Text>
      {examples.map((example) => (
        <Button
          key={example}
          variant="default"
          radius="xl"
          fw={400}
          maw="100%"
          ff="monospace"
          fz="xs"
          title={explain(parse(example), { timeZone: assistance.timeZone })}
          onClick={() => {
            onRun(example)
          }}
        >
          {example}
        </Button>
      ))}
    </div>
  )
}

/**
 * Questions that come first, about what there is: the project and the branch with most builds. Until
 * these are known others of about that length stand there, so that nothing below is moved.
 */
function examplesOf({ values }: Pick<QueryAssistance, 'values'>): readonly string[] {
  const [project] = values('project')
  const branchName = values('value').find(({ value }) => value.toLowerCase() === 'git branch')
  const [branch] = branchName === undefined ? [] : values('value', branchName.value)
  const pair = branch && branchName && quoteValue(`${branchName.value}=${branch.value}`)
  return [
    'buildOutcome:failed buildStartTime>-1d',
    project === undefined ? 'buildTool:gradle' : `project:${quoteValue(project.value)}`,
    `value:${pair ?? '"Git branch=main"'}`,
    'buildDuration>10m',
    'hasVerificationFailure',
  ]
}
