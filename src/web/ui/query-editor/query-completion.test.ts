import { CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import { editorHost } from './editor-host.ts'
import { offeredFixes, suggest } from './query-completion.ts'
import { queryLanguage } from './query-language.ts'

/** What is suggested where `|` stands, by typing or on demand. */
function suggested(text: string, explicit = false): CompletionResult | null {
  const pos = text.indexOf('|')
  const state = EditorState.create({
    doc: text.replace('|', ''),
    extensions: [
      queryLanguage,
      offeredFixes,
      editorHost.of(() => ({
        label: 'Query',
        describedBy: '',
        assistance: {
          timeZone: 'UTC',
          now: () => 0,
          history: [],
          values: (name) => (name === 'project' ? [{ value: 'shop', count: 2 }] : []),
        },
        onChange: () => undefined,
        onRun: () => undefined,
        onHelp: () => undefined,
        onChecked: () => undefined,
      })),
    ],
  })
  return suggest(new CompletionContext(state, pos, explicit))
}

const labels = (text: string, explicit?: boolean): readonly string[] =>
  suggested(text, explicit)?.options.map(({ label }) => label) ?? []

test('fields are suggested for their first letters, and take the place of the whole word', () => {
  expect(labels('buildTo|')).toContain('buildTool')
  expect(suggested('proj|ct:x')).toMatchObject({ from: 0 })
})

test('all there is comes only on demand, not with each space', () => {
  expect(labels('tag:a |')).toEqual([])
  expect(labels('tag:a |', true)).toContain('project')
})

test('values come as soon as there is a colon', () => {
  expect(labels('project:|')).toContain('shop')
})

test('nothing is suggested behind a value that is complete', () => {
  expect(suggested('buildStartTime:2024-01-01T00:00:00Z|')).toBeNull()
})

test('the list follows what is typed at once', () => {
  const result = suggested('buildTo|')
  expect(result?.filter).toBe(false)
  expect(result?.update).toBeDefined()
})
