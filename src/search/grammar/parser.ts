// Written by scripts/grammar.mjs from query.grammar.
import { LRParser } from '@lezer/lr'
import { termTokens, valueTokens, rangeTokens } from './tokens.ts'
export const parser = LRParser.deserialize({
  version: 14,
  states:
    "'UOwQXOOO!jQXO'#CqO!}QXO'#CrO#bQWO'#CwOOQP'#DW'#DWOOQP'#DV'#DVOOQP'#Cz'#CzO#gQXO'#DUO#zQXO'#CpOOQP'#DU'#DUO$_QXO'#DPO$iQXO'#CoO$qQXO'#DTOOQP'#DT'#DTQOQWOOO$yQXOOOOQP,59],59]O%OQXO'#DYO%cQXO'#CuOOQP'#DY'#DYO%vQXO'#C|O&ZQXO'#CtO&fQXO'#DXOOQP'#DX'#DXOOQP,59^,59^O&qQXO,59^O&yQYO,59cOOQP'#DO'#DOO'UQXO,59[OOQP,59k,59kOOQP-E6}-E6}O'iQXO,59ZOOQP'#C{'#C{O'qQXO,59aOOQP,59h,59hOOQP-E6z-E6zO(UQXO,59`OOQP1G.x1G.xO(aQ[O'#CyOOQP1G.}1G.}OOQP-E6|-E6|OOQP-E6y-E6yOOQS'#C}'#C}O(oQ[O,59eOOQP,59e,59eOOQS-E6{-E6{OOQP1G/P1G/P",
  stateData:
    '(}~OvOS~OPROQSORSOSWOUPOVPOWPOXTOgQOjUO~OTYOY^O~PVOPROQSORSOUPOVPOWPOgQO~OSeXTeXXeXYeXjeX~P!ROSbOTdOXTOYhOjhO~P!ROljO~OSkOXTOjUOTxXYxX~P!ROSkOXTOjUOTdXYdX~P!ROTsXYsX~PVOTYOYcX~OTYOYwX~OY^O~OSpOXTOT|XY|Xj|X~P!ROSpOXTOTiXYiXjiX~P!ROSbOXTOTpXYpXjpX~P!ROTdOYhXjhX~OTdOY{Xj{X~OYuOjuO~OZwO[vO]wO~OSkOXTOjUOTdaYda~P!ROTYOYca~OSpOXTOTiaYiajia~P!ROTdOYhajha~O^zO_zO`|Oa|O~O^zO_zO`!OOa!OO~O',
  goto: '$v}PPPPPPPPPPPPPPPPPPP!O!R!V!VP!d!gP!VP!k!n!w#O#Y#`#gPPP#q#t#z$^$m$pR]OTXOYgSOPQVWYabdlqRgQTcQdRwjSVOYVkVWlSqabRyqQeQSsetRtfQ{vR}{SlVWRxlQZOSnZoRo[R_OQ[ORmYSVOYSaQdUkVWlVpabqdTOQVWYabdlqR`PRiQQfQRrd',
  nodeNames:
    '⚠ FieldName Flag FreeText AndWord OrWord NotWord Minus Bang StrayBracket End Value RangeStart MissingValue RangeValue ToWord RangeEnd MissingRangeEnd Query Or And Not Group Open Or And Close Term Operator Range Stray',
  maxTerm: 44,
  skippedNodes: [0],
  repeatNodeCount: 5,
  tokenData:
    '$k~RfXY!gYZ!gZ[!g[]!g]^!gpq!gqr#kxy#vyz#{![!]$Q!^!_$c!_!`$c!`!a$c$f$g!g#BY#BZ!g$IS$I_!g$I|$I}!g$I}$JO!g$JT$JU!g$KV$KW!g&FU&FV!g?HT?HU!g~!l_v~XY!gYZ!gZ[!g[]!g]^!gpq!g$f$g!g#BY#BZ!g$IS$I_!g$I|$I}!g$I}$JO!g$JT$JU!g$KV$KW!g&FU&FV!g?HT?HU!g~#nP!_!`#q~#vOl~~#{Og~~$QOj~~$VSl~qr#k!^!_$c!_!`$c!`!a$c~$hPl~!_!`#q',
  tokenizers: [termTokens, valueTokens, rangeTokens, 0],
  topRules: { Query: [0, 18] },
  tokenPrec: 0,
}).configure({ bufferLength: 256 })
