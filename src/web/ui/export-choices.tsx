import { Button, Menu, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { MenuCaret } from './menu-caret.tsx'

/** A button that offers the forms in which something can be taken along. */
export function ExportChoices<Form extends { readonly name: string; readonly use: string }>({
  forms,
  content,
  isDisabled = false,
  onChoose,
}: {
  forms: readonly Form[]
  /** What is in it, where that is more than what is on the screen. */
  content?: string
  isDisabled?: boolean
  onChoose: (form: Form) => void
}): ReactElement {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" disabled={isDisabled} rightSection={<MenuCaret />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Export">
        {content !== undefined && <Menu.Label>{content}</Menu.Label>}
        {forms.map((form) => (
          <Menu.Item
            key={form.name}
            onClick={() => {
              onChoose(form)
            }}
          >
            {form.name}{' '}
            <Text span inherit c="dimmed" fz="xs">
              {form.use}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
