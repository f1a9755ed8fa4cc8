import { Combobox, useCombobox } from '@mantine/core'
import type { ReactElement } from 'react'
import { findField } from '../../../search/fields.ts'
import css from './query-chips.module.css'

/** What is asked for most, up to the place where the value has to be written. */
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
export function AddTermMenu({ onAdd }: { onAdd: (term: string) => void }): ReactElement {
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
        <button
          type="button"
          className={css.add}
          onClick={() => {
            menu.toggleDropdown()
          }}
        >
          + add
        </button>
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
