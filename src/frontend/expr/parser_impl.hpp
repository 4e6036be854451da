// The recursive-descent parser behind parse_program; its methods are spread over parser*.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/expr/parser.hpp"
#include "frontend/expr/token.hpp"

namespace smemsim::expr {

/// After the first error the parser stands at the end token, so that every loop ends by itself;
/// only the first error is kept.
class Parser {
 public:
  Parser(Program& program, std::vector<Token> tokens,
         const std::map<std::string, std::int64_t>& defines);
  Status run();

 private:
  struct Specifiers {
    Span span;
    const Type* type = nullptr;  ///< null with is_auto
    std::uint64_t align = 1;
    bool is_const = false, is_shared = false, is_extern = false, is_device = false;
    bool is_auto = false, is_typedef = false;
  };

  // Tokens and errors.
  const Token& peek(std::size_t ahead = 0) const;
  const Token& take();
  bool accept(std::string_view text);
  bool expect(std::string_view text, const std::string& context);
  void fail(Span span, std::string message, const std::string& hint = {});
  bool failed() const { return !status_.ok(); }
  static std::string describe(const Token& token);

  // Names.
  SymbolId declare(Symbol symbol);
  const SymbolId* lookup(const std::string& name) const;
  std::vector<std::string> visible_names() const;

  // Types and declarations (parser_types.cpp).
  bool starts_type(std::size_t ahead = 0) const;
  bool starts_declaration() const;
  Specifiers specifiers();
  bool take_specifier(Specifiers& out);
  bool take_type_word(Specifiers& out, std::string& words);
  const Type* finish_type(const Specifiers& seen, std::string words);
  std::uint64_t alignment();
  const Type* pointers(const Type* type);
  const Type* dimensions(const Type* element, bool unknown_allowed, bool& unknown);
  const Type* type_name();
  const Type* structure();
  StmtPtr declaration();
  StmtPtr declarator(const Specifiers& specifiers);
  StmtPtr layout_declaration();
  ExprPtr initialiser();
  std::string layout_text();
  void alias();

  // Statements (parser.cpp).
  StmtPtr statement();
  StmtPtr block();
  StmtPtr branch();
  StmtPtr for_loop();
  StmtPtr while_loop();
  StmtPtr do_loop();
  void kernel(std::vector<StmtPtr>& body);
  void kernel_parameters(std::vector<StmtPtr>& body);
  StmtPtr make(StmtKind kind, Span span) const;

  // Expressions (parser_expressions.cpp).
  ExprPtr expression();
  ExprPtr assignment();
  ExprPtr conditional();
  ExprPtr binary(int least_precedence);
  ExprPtr unary();
  ExprPtr postfix(ExprPtr base);
  ExprPtr primary();
  ExprPtr identifier();
  ExprPtr call(const Token& name);
  ExprPtr layout_call(const Token& name, SymbolId symbol);
  ExprPtr cast_to(const Type* type, Span begin, ExprPtr operand);
  ExprPtr named_cast();
  ExprPtr size_of();
  const Type* static_type(const Expr& expr) const;
  bool template_arguments(std::vector<std::int64_t>& out);
  ExprPtr node(ExprKind kind, Span span);

  // Constants (parser_constants.cpp).
  std::optional<std::int64_t> constant(const Expr& expr, const Type*& type) const;
  std::optional<std::int64_t> constant(const Expr& expr) const;
  /// A constant that the text needs here; fails with what is not known.
  std::int64_t required_constant(const Expr& expr, const std::string& what);

  Program& program_;
  std::vector<Token> tokens_;
  const std::map<std::string, std::int64_t>& defines_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool loop_head_ = false;  ///< in the declaration of a for loop
  Status status_;
  std::vector<std::map<std::string, SymbolId>> scopes_;

  /// Counts the nesting; fails when it is too deep.
  class Depth {
   public:
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser.depth_ > kDeepestNesting) {
        parser.fail(parser.peek().span, "this is nested too deeply");
      }
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };
};

}  // namespace smemsim::expr
