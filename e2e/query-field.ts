import type { Locator } from '@playwright/test'

/**
 * Writes a query in the place of what stands there, by keys as a person does. `fill` selects by script
 * right after it moved the focus; CodeMirror, which looks 10 ms after that, may hear of it too late and put
 * the caret back behind the old query.
 */
export async function writeQuery(field: Locator, text: string): Promise<void> {
  await field.press('ControlOrMeta+a')
  if (text === '') await field.press('Delete')
  else await field.page().keyboard.insertText(text)
}
