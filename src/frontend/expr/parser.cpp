// Statements, scopes and the kernel around them.
#include "frontend/expr/parser.hpp"

#include <array>

#include "frontend/expr/parser_impl.hpp"
#include "frontend/suggest.hpp"

namespace smemsim::expr {

namespace {

struct BuiltinRow {
  std::string_view name, type;
  Builtin builtin;
};
constexpr std::array<BuiltinRow, 7> kBuiltins = {{
    {"threadIdx", "uint3", Builtin::thread_idx},
    {"blockIdx", "uint3", Builtin::block_idx},
    {"blockDim", "dim3", Builtin::block_dim},
    {"gridDim", "dim3", Builtin::grid_dim},
    {"warpSize", "int", Builtin::warp_size},
    {"lane", "int", Builtin::lane},
    {"warp", "int", Builtin::warp},
}};

}  // namespace

Parser::Parser(Program& program, std::vector<Token> tokens,
               const std::map<std::string, std::int64_t>& defines)
    : program_(program), tokens_(std::move(tokens)), defines_(defines) {
  scopes_.emplace_back();
  for (const BuiltinRow& row : kBuiltins) {
    Symbol symbol;
    symbol.kind = SymbolKind::builtin;
    symbol.name = row.name;
    symbol.type = program_.types.find(row.type);
    symbol.builtin = row.builtin;
    declare(std::move(symbol));
  }
  scopes_.emplace_back();
  for (const auto& [name, value] : defines_) {
    Symbol symbol;
    symbol.kind = SymbolKind::constant;
    symbol.name = name;
    const bool small = value >= -0x80000000LL && value <= 0x7fffffffLL;
    symbol.type = program_.types.integer(small ? 4 : 8, true);
    symbol.value = value;
    declare(std::move(symbol));
  }
  scopes_.emplace_back();
}

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& Parser::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::accept(std::string_view text) {
  if (!peek().is(text)) return false;
  take();
  return true;
}

std::string Parser::describe(const Token& token) {
  return token.kind == TokenKind::end ? "the end of the text" : "'" + token.text + "'";
}

bool Parser::expect(std::string_view text, const std::string& context) {
  if (accept(text)) return true;
  std::string hint;
  if (text == ";" && peek().is("="))
    hint = "only a variable or an array element can be assigned to";
  fail(peek().span,
       "expected '" + std::string(text) + "' " + context + ", found " + describe(peek()), hint);
  return false;
}

void Parser::fail(Span span, std::string message, const std::string& hint) {
  if (!failed()) status_ = program_.source.error(span, std::move(message), hint);
  at_ = tokens_.size() - 1;
}

SymbolId Parser::declare(Symbol symbol) {
  const auto id = static_cast<SymbolId>(program_.symbols.size());
  if (program_.symbols.size() >= kMostSymbols) fail(symbol.span, "too many declarations");
  const auto [place, is_new] = scopes_.back().try_emplace(symbol.name, id);
  if (!is_new) {
    fail(symbol.span,
         "'" + symbol.name + "' is already declared on line " +
             std::to_string(program_.source.line(program_.symbols[place->second].span.begin)));
  }
  program_.symbols.push_back(std::move(symbol));
  return id;
}

const SymbolId* Parser::lookup(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find(name);
    if (found != scope->end()) return &found->second;
  }
  return nullptr;
}

std::vector<std::string> Parser::visible_names() const {
  std::vector<std::string> out;
  for (const auto& scope : scopes_) {
    for (const auto& [name, id] : scope) out.push_back(name);
  }
  return out;
}

StmtPtr Parser::make(StmtKind kind, Span span) const {
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = kind;
  stmt->span = span;
  return stmt;
}

StmtPtr Parser::statement() {
  const Depth depth(*this);
  const Token& first = peek();
  if (accept(";")) return make(StmtKind::empty, first.span);
  if (first.is("{")) return block();
  if (first.is("if")) return branch();
  if (first.is("for")) return for_loop();
  if (first.is("while")) return while_loop();
  if (first.is("do")) return do_loop();
  const struct {
    std::string_view word;
    StmtKind kind;
  } jumps[] = {{"break", StmtKind::leave_loop},
               {"continue", StmtKind::next_pass},
               {"return", StmtKind::leave}};
  for (const auto& jump : jumps) {
    if (accept(jump.word)) {
      expect(";", "after " + std::string(jump.word));
      return make(jump.kind, first.span);
    }
  }
  for (const std::string_view word : {"switch", "goto", "asm", "template", "namespace", "class"}) {
    if (first.is(word)) {
      fail(first.span, "'" + std::string(word) + "' is not part of the language",
           "docs/explain.md lists what is; helper names such as ldmatrix_x4(&s[i][j]) stand for "
           "PTX");
    }
  }
  if (accept("static_assert")) {
    while (!failed() && peek().kind != TokenKind::end && !peek().is(";")) take();
    accept(";");
    return make(StmtKind::empty, first.span);
  }
  if (starts_declaration()) return declaration();
  StmtPtr stmt = make(StmtKind::expression, first.span);
  stmt->exprs.push_back(expression());
  // The last expression of the text needs no semicolon.
  if (peek().kind != TokenKind::end) expect(";", "after the expression");
  return stmt;
}

StmtPtr Parser::block() {
  StmtPtr stmt = make(StmtKind::block, peek().span);
  expect("{", "at the start of a block");
  scopes_.emplace_back();
  while (!failed() && !peek().is("}")) {
    if (peek().kind == TokenKind::end) {
      fail(stmt->span, "this block does not end; expected '}'");
      break;
    }
    stmt->body.push_back(statement());
  }
  accept("}");
  scopes_.pop_back();
  return stmt;
}

StmtPtr Parser::branch() {
  StmtPtr stmt = make(StmtKind::branch, take().span);
  accept("constexpr");
  expect("(", "after if");
  stmt->exprs.push_back(expression());
  expect(")", "after the condition");
  stmt->body.push_back(statement());
  if (accept("else")) stmt->body.push_back(statement());
  return stmt;
}

StmtPtr Parser::for_loop() {
  StmtPtr stmt = make(StmtKind::loop, take().span);
  expect("(", "after for");
  scopes_.emplace_back();
  loop_head_ = true;
  stmt->init = statement();  // takes the first semicolon
  loop_head_ = false;
  stmt->exprs.push_back(peek().is(";") ? nullptr : expression());
  expect(";", "after the condition of the loop");
  stmt->exprs.push_back(peek().is(")") ? nullptr : expression());
  expect(")", "after the head of the loop");
  stmt->body.push_back(statement());
  scopes_.pop_back();
  return stmt;
}

StmtPtr Parser::while_loop() {
  StmtPtr stmt = make(StmtKind::loop, take().span);
  expect("(", "after while");
  stmt->exprs.push_back(expression());
  stmt->exprs.push_back(nullptr);
  expect(")", "after the condition");
  stmt->body.push_back(statement());
  return stmt;
}

StmtPtr Parser::do_loop() {
  StmtPtr stmt = make(StmtKind::do_loop, take().span);
  stmt->body.push_back(statement());
  expect("while", "after the body of do");
  expect("(", "after while");
  stmt->exprs.push_back(expression());
  expect(")", "after the condition");
  expect(";", "after do ... while");
  return stmt;
}

void Parser::kernel_parameters(std::vector<StmtPtr>& body) {
  expect("(", "before the parameters");
  while (!failed() && !peek().is(")")) {
    Specifiers seen = specifiers();
    const Type* type = pointers(seen.type);
    const Token& name = take();
    if (failed()) return;
    if (name.kind != TokenKind::identifier) {
      fail(name.span, "expected the name of a parameter, found " + describe(name));
      return;
    }
    bool unknown = false;
    if (peek().is("[")) type = program_.types.pointer_to(dimensions(type, true, unknown)->element);
    if (defines_.count(name.text) == 0) {
      Symbol symbol;
      symbol.kind = type->is(TypeKind::pointer) ? SymbolKind::variable : SymbolKind::parameter;
      symbol.name = name.text;
      symbol.span = name.span;
      symbol.type = type;
      StmtPtr stmt = make(StmtKind::declaration, name.span);
      stmt->symbol = declare(std::move(symbol));
      stmt->exprs.push_back(nullptr);
      body.push_back(std::move(stmt));
    }
    if (!accept(",")) break;
  }
  expect(")", "after the parameters");
}

void Parser::kernel(std::vector<StmtPtr>& body) {
  const Token& marker = take();
  if (!program_.kernel.empty()) {
    fail(marker.span, "a second kernel starts here", "explain one kernel at a time");
  }
  accept("static");
  expect("void", "after __global__");
  if (accept("__launch_bounds__")) {
    while (!failed() && peek().kind != TokenKind::end && !accept(")")) take();
  }
  const Token& name = take();
  if (name.kind != TokenKind::identifier) {
    fail(name.span, "expected the name of the kernel, found " + describe(name));
    return;
  }
  program_.kernel = name.text;
  scopes_.emplace_back();
  kernel_parameters(body);
  body.push_back(block());
  scopes_.pop_back();
}

Status Parser::run() {
  program_.body = make(StmtKind::block, {});
  while (!failed() && peek().kind != TokenKind::end) {
    if (peek().is("extern") && peek(1).kind == TokenKind::string) {
      take();
      take();
    }
    if (peek().is("static") && peek(1).is("__global__")) take();
    if (peek().is("__global__")) {
      kernel(program_.body->body);
    } else if (!program_.kernel.empty() && !peek().is(";")) {
      fail(peek().span, "expected the end of the text after the kernel, found " + describe(peek()),
           "explain looks at one kernel; leave out host code");
    } else {
      program_.body->body.push_back(statement());
    }
  }
  if (failed()) return status_;
  return {};
}

Result<Program> parse_program(Source source, const std::map<std::string, std::int64_t>& defines) {
  Program program;
  program.source = std::move(source);
  auto tokens = tokenize(program.source, defines);
  if (!tokens.ok()) return tokens.error();
  Parser parser(program, std::move(*tokens), defines);
  SMEMSIM_TRY(parser.run());
  return program;
}

}  // namespace smemsim::expr
