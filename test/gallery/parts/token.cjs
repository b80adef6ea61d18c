const { randomBytes } = require('node:crypto')

exports.context = process.env.VENDOR_HELPER_CONTEXT

exports.freshToken = (life = 7200) => {
  const exp = Math.floor(Date.now() / 1000) + life
  return `h.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.${randomBytes(12).toString('hex')}`
}

exports.print = (output) => process.stdout.write(`${JSON.stringify(output)}\n`)
