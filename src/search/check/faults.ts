import { rewrite } from './condition-diagnostics.ts'
import { type Diagnostic, error, type Fix } from '../diagnostic.ts'
import type { SyntaxFault } from '../tree.ts'
import { shown } from '../values/reading.ts'

/** A place where the text does not follow the grammar, in a sentence, with what would fix it. */
export function faultDiagnostic(fault: SyntaxFault, text: string): Diagnostic {
  const [message, fixes] = messageOf(fault, text)
  return error(fault, `syntax.${fault.code}`, message, fixes)
}

function messageOf(fault: SyntaxFault, text: string): [message: string, fixes: Fix[]] {
  const written = shown(text.slice(fault.from, fault.to))
  switch (fault.code) {
    case 'dangling-operator':
      return [
        `A term is missing next to ${written}. Add one, or remove ${written}.`,
        [removed(fault, text)],
      ]
    case 'unclosed-group':
      return [
        'Missing closing parenthesis. Add ) where the group ends.',
        [added(text.trimEnd().length, ')')],
      ]
    case 'unclosed-range':
      return ['Missing closing bracket. Add ] after the end of the range.', [added(fault.to, ']')]]
    case 'unclosed-quote':
      return ['Missing closing quote. Add " where the quoted text ends.', closings()]
    case 'unexpected-closing':
      return [`Unmatched ${written}. Remove it.`, [removed(fault, text)]]
    case 'empty-group':
      return ['Empty parentheses. Add terms between them, or remove them.', []]
    case 'range-shape':
      return ['A range needs two ends with to between them, such as [5m to 1h].', joined()]
    case 'too-deep':
      return ['Too many nested parentheses or negations. Simplify the query.', []]
    case 'too-long':
      return ['The query is too long: the rest is ignored. Shorten it.', []]
    case 'unexpected-text':
      return [`Unexpected ${written}. Remove it.`, []]
  }

  /** `[5m - 1h]`, `[5m .. 1h]`, and dates with a space before the time. */
  function joined(): Fix[] {
    const range = text.slice(fault.from, fault.to)
    const oneWord = range.replace(/(\d) +(?=\d\d:\d\d)/g, '$1T')
    if (oneWord !== range && /^\[\s*[\w.:+-]+\s+to\s+[\w.:+-]+\s*\]$/i.test(oneWord)) {
      return [rewrite(fault, oneWord)]
    }
    const [, before = '', between = ''] =
      /^(\[\s*[\w.:+-]+)(\s+(?:[-.,;–…]+\s+)?)[\w.:+-]+\s*\]$/.exec(range) ?? []
    if (before === '') return []
    const from = fault.from + before.length
    return [rewrite({ from, to: from + between.length }, ' to ', 'Insert to')]
  }

  function added(at: number, insert: string): Fix {
    // What stands behind a backslash would be text.
    const gap = endsEscaping(text, at) ? ' ' : ''
    return rewrite({ from: at, to: at }, `${gap}${insert}`, `Add ${insert}`)
  }

  function closings(): Fix[] {
    // With curly ones about, which quote is open is anybody's guess.
    if (/[“”„]/.test(text)) return []
    const insert = endsEscaping(text, fault.to) ? '\\"' : '"'
    const here = rewrite({ from: fault.to, to: fault.to }, insert, 'Add "')
    const end = text.trimEnd().length
    const rest = text.slice(fault.to, end)
    // Further words may have been meant to be inside.
    return rest === '' || /["\\()[\]:]/.test(rest)
      ? [here]
      : [here, rewrite({ from: end, to: end }, '"', 'Add " at the end')]
  }
}

/** Whether a backslash stands before `at` that would take what comes next as it is. */
export function endsEscaping(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

/** Takes the text out with the space on one of its sides; what it kept apart stays apart. */
function removed({ from, to }: SyntaxFault, text: string): Fix {
  let [start, end] = [from, to]
  while (/\s/.test(text.charAt(end))) end += 1
  if (end === to) while (/\s/.test(text.charAt(start - 1))) start -= 1
  // A parenthesis keeps its neighbours apart by itself, unless it is escaped.
  const isBehindWord = /[^\s(]/.test(text.charAt(start - 1)) || endsEscaping(text, start - 1)
  const glues = isBehindWord && /[^\s)]/.test(text.charAt(end))
  return rewrite(
    { from: start, to: end },
    glues ? ' ' : '',
    `Remove ${shown(text.slice(from, to))}`,
  )
}
