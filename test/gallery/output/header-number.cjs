// Mistake: a header's value is a number, which the client drops.
// Warns: headers
const { freshToken, print } = require('../parts/token.cjs')
print({ token: freshToken(), headers: { 'X-Team': 7 } })
