// The least that functions-framework can serve: what its start costs without the project's code.
module.exports.bare = (request, response) => response.end('ok');
