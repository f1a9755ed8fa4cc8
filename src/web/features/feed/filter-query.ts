import { quoteValue } from '../../../search/quote-value.ts'
import { type Facet, facets, type Filter } from './facets.ts'

const fields: Readonly<Record<Facet, string>> = {
  tool: 'buildTool',
  outcome: 'buildOutcome',
  project: 'project',
  user: 'user',
  tag: 'tag',
}

/**
 * The query that finds what a filter lets through, of what the query `followed` finds where there is
 * one; '' where all is let through. An outcome that is not known cannot be searched for, and is left out.
 */
export function filterQuery(filter: Filter, followed = ''): string {
  const terms = facets.flatMap((facet) => {
    const values = (filter[facet] ?? []).filter(
      (value) => facet !== 'outcome' || value !== 'unknown',
    )
    if (values.length === 0) return []
    const any = values.map((value) => `${fields[facet]}:${quoteValue(value)}`).join(' or ')
    return [values.length === 1 ? any : `(${any})`]
  })
  const whole = followed.trim()
  if (whole === '') return terms.join(' ')
  return terms.length === 0 ? whole : [`(${whole})`, ...terms].join(' ')
}
