//===- common_uses.cpp - What most sources use of the standard library ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read by EachSource.cpp before it forks. Nothing is included here: what is
// used is in the precompiled headers. Nothing that may warn is used with types
// of the standard library, since a warning would then be given here only.
//
//===----------------------------------------------------------------------===//

namespace sluice::each_source {

struct Plain {
  int number;
  double value;
};

struct Rich {
  std::string name;
  std::vector<int> numbers;
  std::unique_ptr<Plain> plain;
  std::optional<std::string> text;
  std::map<std::string, int> table;
  std::function<int(int)> call;
  std::shared_ptr<Plain> shared;
};

struct Abstract {
  virtual ~Abstract() = default;
  virtual int call() = 0;
};

struct Concrete : Abstract {
  int call() override { return 1; }
};

inline size_t useContainers(const std::string &text) {
  std::vector<Rich> rows;
  rows.emplace_back();
  rows.push_back(Rich());
  rows.resize(3);
  std::swap(rows[0], rows[1]);
  std::vector<Plain> plains(3);
  plains.push_back({1, 2});
  plains.insert(plains.begin(), Plain{3, 4});
  plains.erase(plains.begin());
  std::fill(plains.begin(), plains.end(), Plain{});
  std::vector<std::pair<int64_t, std::string>> pairs;
  pairs.emplace_back(1, text);
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::unique_ptr<Abstract>> owned;
  owned.push_back(std::make_unique<Concrete>());
  std::map<std::string, std::vector<int>> byName;
  byName[text].push_back(1);
  byName.emplace(text, std::vector<int>{1, 2});
  std::unordered_map<std::string, int> hashed;
  hashed[text] = 1;
  hashed.emplace(text, 2);
  std::unordered_map<const void *, Plain> pointers;
  pointers[&text] = {};
  std::set<std::string> names{text};
  names.insert(text);
  std::set<std::pair<int, int>> twos;
  twos.insert({1, 2});
  std::deque<std::unique_ptr<Abstract>> queue;
  queue.push_back(nullptr);
  queue.pop_front();
  std::vector<std::vector<int>> nested(3, std::vector<int>(4));
  nested.emplace_back(3);
  std::vector<std::string> lines{text, text};
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  auto found = std::find_if(rows.begin(), rows.end(),
                            [](const Rich &row) { return row.name.empty(); });
  return size_t(found - rows.begin()) + hashed.count(text) + lines.size();
}

inline std::string useTexts(const std::string &text, std::ostream &out) {
  std::string sum = text + "x" + std::to_string(3) + 'c';
  sum += text.substr(1);
  std::ostringstream stream;
  stream << sum << 1 << 2.0 << std::string_view("x");
  out << stream.str();
  std::ifstream in(text);
  std::getline(in, sum);
  return sum;
}

inline int useThreads() {
  auto shared = std::make_shared<Plain>();
  std::optional<Rich> row;
  row.emplace();
  row = std::nullopt;
  std::array<int, 3> array{1, 2, 3};
  std::span<const int> span(array);
  std::atomic<int> atomic{0};
  atomic.fetch_add(1, std::memory_order_relaxed);
  std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  std::condition_variable changed;
  changed.wait(lock, [&] { return atomic != 0; });
  std::thread thread([&] { atomic.store(1); });
  thread.join();
  std::function<int(int)> call = [&](int x) { return x + array[0]; };
  auto now = std::chrono::steady_clock::now();
  auto seconds = std::chrono::duration<double>(now.time_since_epoch());
  return call(1) + std::accumulate(span.begin(), span.end(), 0) +
         int(seconds.count()) + shared->number;
}

#ifdef LLVM_ADT_SETVECTOR_H // the compiler's headers are there as well

inline size_t useCollections(llvm::StringRef text, llvm::Value *value) {
  llvm::SmallVector<llvm::Value *> values{value};
  values.push_back(value);
  llvm::SmallVector<Plain, 2> plains;
  plains.push_back({1, 2});
  plains.append({Plain{}, Plain{}});
  llvm::SmallVector<std::string> names{text.str()};
  names.emplace_back("x");
  llvm::SmallVector<llvm::CallInst *, 0> calls;
  calls.push_back(nullptr);
  llvm::DenseMap<llvm::Value *, unsigned> numbers;
  numbers[value] = 1;
  numbers.try_emplace(value, 2);
  llvm::DenseMap<llvm::Value *, llvm::SmallVector<llvm::Value *>> lists;
  lists[value].push_back(value);
  llvm::SmallPtrSet<llvm::Value *, 8> pointers;
  pointers.insert(value);
  llvm::SetVector<llvm::Value *> ordered;
  ordered.insert(value);
  llvm::StringMap<int> table;
  table[text] = 1;
  llvm::sort(names);
  for (auto [index, name] : llvm::enumerate(names))
    table.try_emplace(name, int(index));
  for (llvm::Value *each : llvm::reverse(values))
    ordered.insert(each);
  bool isAny = llvm::any_of(values, [&](llvm::Value *v) { return v == value; });
  auto test = [&](int x) { return x != 0 && isAny; };
  llvm::function_ref<bool(int)> call = test;
  std::string out;
  llvm::raw_string_ostream stream(out);
  stream << text << 1 << llvm::Twine(text) + "x";
  return values.size() + lists.count(value) + ordered.size() + call(1);
}

inline unsigned useModules(llvm::Module &module) {
  unsigned count = 0;
  llvm::IRBuilder<> builder(module.getContext());
  for (llvm::Function &function : module) {
    llvm::DominatorTree tree(function);
    llvm::LoopInfo loops(tree);
    for (llvm::Instruction &one : llvm::instructions(function)) {
      count += llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::PHINode>(one);
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&one))
        count += call->arg_size();
      if (auto *number = llvm::dyn_cast<llvm::ConstantInt>(one.getOperand(0)))
        builder.CreateAdd(number, number);
    }
  }
  return count;
}

inline unsigned useOperations(mlir::ModuleOp module) {
  unsigned count = 0;
  mlir::OpBuilder builder(module.getContext());
  module.walk([&](mlir::Operation *op) {
    count += op->getNumOperands();
    for (mlir::Value operand : op->getOperands())
      count += llvm::isa<mlir::IntegerType>(operand.getType());
  });
  return count;
}

#endif

} // namespace sluice::each_source
