import { type EditorState, Facet } from '@codemirror/state'
import type { AssistContext } from '../../../search/assist/completion.ts'
import type { QueryAssistance } from './query-assistance.ts'

/** What the page around the editor wants and knows at this moment. */
export interface EditorHost {
  readonly label: string
  /** The id of the element that explains the query. */
  readonly describedBy: string
  readonly assistance: QueryAssistance
  readonly onChange: (text: string) => void
  readonly onRun: (text: string) => void
  /** The key for help on the language. */
  readonly onHelp: () => void
  /** Called when typing pauses, with what is wrong with the query, or else its explanation. */
  readonly onChecked: (summary: string) => void
}

/** Where the parts of the editor find the page; read anew each time, as the page goes on. */
export const editorHost = Facet.define<() => EditorHost, () => EditorHost>({
  combine: ([host = noHost]) => host,
})

/** The page around the editor with this state. */
export function hostOf(state: EditorState): EditorHost {
  return state.facet(editorHost)()
}

function noHost(): never {
  throw new Error('the editor needs an editorHost among its extensions')
}

/** What the page knows, as of now, for suggestions and explanations. */
export function assistContext(state: EditorState): AssistContext {
  const { assistance } = hostOf(state)
  return { ...assistance, now: assistance.now() }
}
