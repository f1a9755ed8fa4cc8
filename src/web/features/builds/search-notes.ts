import { type BuildSearchView, isFilteredHere } from '../../data/builds/build-search.ts'
import { countOf, countText } from '../../../protocol/count.ts'

const whole = 100

/**
 * What a reader has to know about what is shown: that it was filtered here and how far, what is not
 * known of it, what was left out. `reached` is how far the list was read, as a time in words.
 */
export function searchNotes(
  view: BuildSearchView,
  isNarrowed: boolean,
  reached: string | undefined,
): readonly string[] {
  const { ability, found, untold, disputed, malformed, state, pageSize, read } = view
  if (read === 0 && malformed === 0) return []
  const isOldest = ability.order === 'oldest-first'
  const hasAttributes = ability.tools.length > 0
  const notes: string[] = []
  if (isNarrowed && isFilteredHere(view)) {
    const how = ability.search === 'refused' ? 'refuses searches' : 'takes no notice of searches'
    const range = reached === undefined ? '' : `, ${isOldest ? 'up' : 'back'} to ${reached}`
    const told = found.length - untold
    notes.push(
      `The build server ${how}, so this page filters the builds it lists: ${countText(read)} read${range}, ${countText(told)} ${told === 1 ? 'matches' : 'match'}.`,
    )
    if (untold > 0) {
      notes.push(
        `Of ${countText(untold)} it cannot be told whether they match; they are listed and marked.`,
      )
    }
  }
  if (!hasAttributes) {
    notes.push(
      'The build server tells only the tool, its version and the time of builds in its list; the other columns hold what the live feed knows.',
    )
  }
  if (isOldest) notes.push('It lists the oldest builds first, and so does this page.')
  if (disputed > 0) {
    notes.push(
      `The server says that ${countOf(disputed, 'build')} of these match, though by what is known of them here they do not.`,
    )
  }
  if (malformed > 0) {
    notes.push(
      `${countOf(malformed, 'entry', 'entries')} of the list could not be read and ${malformed === 1 ? 'was' : 'were'} skipped.`,
    )
  }
  if (pageSize < whole) {
    notes.push(
      `The server is too slow for ${whole} builds at once and is asked for ${countText(pageSize)} at a time.`,
    )
  }
  if (state.is === 'done' && state.note !== undefined) notes.push(state.note)
  return notes
}
