import { styleTags, tags } from '@lezer/highlight'

/** What each part of a query is for, in the terms that editor themes know. */
export const highlighting = styleTags({
  'AndWord OrWord NotWord ToWord': tags.logicOperator,
  'Minus Bang': tags.logicOperator,
  FieldName: tags.propertyName,
  Flag: tags.propertyName,
  Operator: tags.compareOperator,
  'Value RangeValue': tags.string,
  'Open Close': tags.paren,
  'RangeStart RangeEnd': tags.squareBracket,
  'FreeText Stray StrayBracket': tags.invalid,
})
