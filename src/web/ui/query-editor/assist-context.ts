import type { EditorState } from '@codemirror/state'
import type { AssistContext } from '../../../search/assist/context.ts'
import { hostOf } from './editor-host.ts'

/** What the page knows, as of now, for suggestions and explanations. */
export function assistContext(state: EditorState): AssistContext {
  const { assistance } = hostOf(state)
  return { ...assistance, now: assistance.now() }
}
