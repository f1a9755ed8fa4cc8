import { EditorState, type Extension } from '@codemirror/state'

/** What CodeMirror says by itself, in the words of this page. */
export const editorPhrases: Extension = EditorState.phrases.of({
  Completions: 'Suggestions',
  Diagnostics: 'What is wrong with the query',
  'No diagnostics': 'Nothing is wrong with the query',
  'Control character': 'Invisible character',
  close: 'Close',
})
