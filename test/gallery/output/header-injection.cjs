// Mistake: a header's value holds a line break, which would add another header.
// Fails: headers
const { freshToken, print } = require('../parts/token.cjs')
print({ token: freshToken(), headers: { 'X-Team': 'red\r\nX-Admin: yes' } })
